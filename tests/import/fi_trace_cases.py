"""FlashInfer's dumps."""

import json

import fi_trace
from foreign import read_texts

INPUT_A = {"a": {"shape": ["M", "N"], "dtype": "float32"}}
OUTPUT_Y = {"y": {"shape": ["M", "N"], "dtype": "float32"}}


def dump(header, inputs=INPUT_A, outputs=OUTPUT_Y, **more):
    """The import of one dump; `header` is what its reference begins with."""
    value = {"name": "op_n4", "op_type": "op", "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 4}},
             "inputs": inputs, "outputs": outputs, "reference": f"{header}\n    return a\n", **more}
    return read_texts(fi_trace, {"dump.json": json.dumps(value)})


def the_references_function_gets_a_run():
    imported = dump("def _op_reference(a):")
    assert imported.definitions[0]["reference"] == \
        "def _op_reference(a):\n    return a\n\n\ndef run(a):\n    return _op_reference(a)\n"
    assert imported.notes == ["info: run() is added to the reference: it calls _op_reference()"]
    assert imported.left_out == 0


def a_run_is_left_alone():
    imported = dump("def run(a):")
    assert imported.definitions[0]["reference"] == "def run(a):\n    return a\n"
    assert not imported.notes


def foreign_keys_are_reported():
    imported = dump("def run(a):", {"a": {"shape": ["M"], "dtype": "float32", "optional": True, "param": "a"}},
                    init="x", check="y", mood=1)
    assert imported.notes == ['warning: "init" is not carried over', 'warning: "check" is not carried over',
                              'warning: key "optional" of a is not carried over',
                              'warning: key "param" of a is not carried over']
    assert imported.definitions[0]["mood"] == 1  # the program says that it is unknown


def dtypes_that_the_schema_lacks_are_refused_by_name():
    for dtype in ("uint16", "uint32", "float64", "string", "unknown"):
        imported = dump("def run(a):", {"a": {"shape": ["M"], "dtype": dtype}})
        assert not imported.definitions and imported.left_out == 1
        assert imported.notes == [f'error: dtype {dtype} of "a" has no counterpart: definition left out']
        assert imported.said[0]["pointer"] == "/inputs/a/dtype"


def an_absent_optional_input_is_left_out_where_the_reference_can_do_without():
    inputs = {**INPUT_A, "m": {"shape": ["L"], "dtype": "unknown", "optional": True}}
    good = dump("def f(a, m=None):", inputs, constraints=["M > 0", "L == len(m)"])
    definition, = good.definitions
    assert list(definition["inputs"]) == ["a"] and definition["constraints"] == ["M > 0"]
    assert definition["reference"].endswith("def run(a):\n    return f(a)\n")
    assert good.has('warning: optional input "m" is left out')
    assert good.has('warning: constraint "L == len(m)" is not carried over')
    bad = dump("def f(a, m):", inputs)
    assert not bad.definitions and bad.has('error: dtype unknown of "m"')


def axes_that_only_a_left_out_input_has_go_with_it():
    imported = dump("def f(a, m=None):", {"a": {"shape": ["M"], "dtype": "float32"},
                                          "m": {"shape": ["L"], "dtype": "unknown", "optional": True}},
                    {"y": {"shape": ["M"], "dtype": "float32"}}, constraints=["L == M + 1"],
                    axes={"M": {"type": "var"}, "L": {"type": "var"}, "free": {"type": "var"}})
    assert list(imported.definitions[0]["axes"]) == ["M", "free"]
    assert imported.has('info: axis "L" is left out')
    assert imported.definitions[0]["constraints"] == [] and imported.has('constraint "L == M + 1" is not carried over')


def an_output_written_in_place_gets_a_name_of_its_own():
    imported = dump("def f(a):", outputs=INPUT_A)
    assert list(imported.definitions[0]["outputs"]) == ["a_out"]
    assert imported.has('warning: output "a" is called "a_out"')


def outputs_returned_by_name_keep_their_names():
    plain = dump("def f(a):\n    return {'a': a}\n\ndef run(a):", outputs=INPUT_A)
    assert list(plain.definitions[0]["outputs"]) == ["a_out"]  # run() itself returns no dict
    by_name = dump("def run(a):\n    if 1: return {'a': a}", outputs=INPUT_A)
    assert list(by_name.definitions[0]["outputs"]) == ["a"]


def axes_that_are_missing_or_have_no_value_become_variable():
    imported = dump("def run(a):", {"a": {"shape": ["P", "Q", "1", 2], "dtype": "float32"}},
                    {"y": {"shape": ["P"], "dtype": "float32"}}, axes={"P": {"type": "const", "description": "page"}})
    definition, = imported.definitions
    assert definition["axes"] == {"P": {"type": "var", "description": "page"}, "Q": {"type": "var"},
                                  "size_1": {"type": "const", "value": 1}, "size_2": {"type": "const", "value": 2}}
    assert definition["inputs"]["a"]["shape"] == ["P", "Q", "size_1", "size_2"]


def imports_that_were_left_behind_are_added():
    imported = dump("def run(a):\n    a = torch.exp(helper(a))")
    assert imported.definitions[0]["reference"].startswith("import torch\n\ndef run(a):")
    assert imported.notes == ['info: "import torch" is added to the reference',
                              "warning: the reference uses helper, which it does not define"]
    assert [one["index"] for one in imported.said] == [20, 30]


def nothing_is_put_before_future():
    imported = dump("from __future__ import annotations\ndef run(a):\n    a = torch.exp(a)")
    assert imported.definitions and imported.has("warning: the reference uses torch, which it does not define")


def without_a_reference_there_is_no_definition():
    imported = read_texts(fi_trace, {"dump.json": '{"name": "op", "op_type": "op", "axes": {}, "inputs": {}, "outputs": {}}'})
    assert not imported.definitions
    assert imported.notes == ["error: the dump has no reference: definition left out"]


def what_is_no_dump_is_said():
    imported = read_texts(fi_trace, {"package.json": '[{"version": 1}, 3, null]'})
    assert imported.notes == 3 * ["error: is no definition, workload or solution of this format: it is left out"]
    assert imported.left_out == 3


def a_form_that_nobody_expects_ends_no_import():
    value = {"axes": {}, "inputs": {"a": {"shape": [[]], "dtype": []}}, "outputs": [], "reference": "def run(a): return a"}
    imported = read_texts(fi_trace, {"dumps.json": json.dumps([value, {**value, "inputs": [1], "axes": 2, "reference": 3}])})
    assert len(imported.definitions) == 2 or imported.left_out  # the program's reader judges it


# ---- --run-init ----


def init_with(**said):
    inputs = {"a": {"shape": ["M", "N"], "dtype": "float32"}, "s": {"shape": None, "dtype": "float32"}}
    value = {"name": "op", "op_type": "op", "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 4}},
             "inputs": inputs, "outputs": OUTPUT_Y, "reference": "def run(a, s):\n    return a\n",
             "init": "def init(*, M, N=2, device, seed=0): pass"}
    made = [{"name": "a", "key": "", "shape": [3, 4], "dtype": "float32", "drawn": "normal", **said}]
    answer = {"why": "", "line": 0, "is_slow": False, "text": json.dumps({"inputs": made})}
    return read_texts(fi_trace, {"dump.json": json.dumps(value)}, answers=[answer])


def what_init_makes_is_a_workload():
    imported = init_with()
    assert imported.traces == [{"definition": "op", "workload": {"axes": {"M": 3}, "inputs": {"a": {"type": "random"}},
                                                                    "uuid": "made"}}]
    assert imported.notes == ["info: a workload is made of what init() makes"]
    large = init_with(drawn="", shape=[17_000_000, 4])
    assert large.traces[0]["workload"]["inputs"] == {"a": {"type": "random"}}
    assert large.has("warning: the values of a are not carried over: it has 259 MiB"), large.notes


def what_init_makes_has_to_fit():
    for said, why in (({"shape": [3, 5]}, "it makes a of shape [3, 5], where N is 4"),
                      ({"dtype": "int64"}, "it makes a int64 of shape [3, 4], where the definition has float32 with 2 axes"),
                      ({"name": "s"}, "it makes s float32 of shape [3, 4], where the definition has a number"),
                      ({"dtype": "float64"}, "a is float64, which no Definition has"),
                      ({"shape": [0, 4]}, "a has a length of 0"), ({"shape": 3}, "what it says of itself cannot be read")):
        imported = init_with(**said)
        assert not imported.traces and imported.has(f"warning: no workload is made by init(): {why}"), imported.notes
