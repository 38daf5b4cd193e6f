"""NVIDIA SOL-ExecBench."""

import json

import sol_execbench
from foreign import read_texts


def problem(axes=None, dtype="float32", lines=(), answers=(), **more):
    """The import of one folder: a definition, with `lines` of workload.jsonl."""
    value = {"name": "op_n8", "axes": {"M": {"type": "var"}, **(axes or {}), "N": {"type": "const", "value": 8}},
             "inputs": {"a": {"shape": ["M", "N"], "dtype": dtype}}, "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
             "reference": "def run(a):\n    return a\n", **more}
    files = {"p/definition.json": json.dumps(value)}
    if lines:
        files["p/workload.jsonl"] = "\n".join(map(json.dumps, lines))
    return read_texts(sol_execbench, files, answers=answers)


def expression(text, **more):
    return {"type": "expr", "expression": text, **more}


def workload(m, uuid="u", **more):
    return {"axes": {"M": m}, "inputs": {"a": {"type": "random"}}, "uuid": uuid, **more}


def solution(languages, **more):
    value = {"name": "s", "definition": "op_n8", "author": "me", "sources": [{"path": "k.cu", "content": "x"}],
             "spec": {"entry_point": "k.cu::run", "target_hardware": ["B200"], "languages": languages, **more}}
    return read_texts(sol_execbench, {"p/solution.json": json.dumps(value)})


def the_op_type_is_sol_where_none_is_given():
    imported = problem()
    assert imported.definitions[0]["op_type"] == "sol"
    assert imported.notes == ['info: no op_type is given: it is "sol"']


def the_model_is_a_tag():
    definition, = problem(op_type="gemm", hf_id="a/b").definitions
    assert definition["tags"] == ["model:a/b"] and "hf_id" not in definition


def an_expression_over_constants_is_a_const_axis():
    definition, = problem({"h": expression("q // 2", description="half"), "q": expression("N * 3")}).definitions
    assert definition["axes"]["h"] == {"type": "const", "value": 12, "description": "half"}
    assert definition["axes"]["q"]["value"] == 24 and "constraints" not in definition


def other_expressions_are_var_axes_that_workloads_give_the_value_of():
    imported = problem({"t": expression("M * N + half"), "half": expression("M / 2")},
                       lines=[workload(6), workload(5, "v")])
    definition, = imported.definitions
    assert definition["constraints"] == ["t == M * N + half", "half == M / 2"]
    assert definition["axes"]["t"] == {"type": "var"}
    trace, = imported.traces
    assert trace["definition"] == "op_n8" and trace["workload"]["axes"] == {"M": 6, "half": 3, "t": 51}
    assert imported.left_out == 1  # 5 / 2 is no integer


def expressions_in_a_circle_have_no_value():
    imported = problem({"s": expression("t + 1"), "t": expression("s + 1")}, lines=[workload(6)])
    assert not imported.traces and imported.has('error: axis "s" = t + 1 has no value')


def an_expression_that_is_wrong_whatever_the_workload_is_said():
    for text in ("N //", "N // 0", "N / 3", "2 ** -1", "9 ** 9 ** 9 ** 9", "N << 70", "'x'"):
        imported = problem({"h": expression(text)})
        assert not imported.definitions and imported.has(f'error: axis "h" = {text} has no value'), text


def expressions_know_pythons_operators():
    for text, value in (("-N % 3", 1), ("2 ** 5", 32), ("min(N, 3, 9) + max(1, 2)", 5), ("N if N > 3 else 1", 8),
                        ("1 <= N < 9 and N != 2", 1), ("not N or int(N)", 8), ("N // 3 * 2 - 1", 3)):
        assert problem({"h": expression(text)}).definitions[0]["axes"]["h"]["value"] == value, text


def dtypes():
    assert problem(dtype="float64").has('error: dtype float64 of "a" has no counterpart')
    assert problem(dtype="float4_e2m1fn_x2").definitions[0]["inputs"]["a"]["dtype"] == "float4_e2m1"


CUSTOM = {"axes": {"M": 6}, "inputs": {"a": {"type": "custom"}}, "uuid": "u"}


def inputs_made_by_code_are_not_replaced():
    imported = problem(custom_inputs_entrypoint="make", lines=[CUSTOM])
    assert imported.definitions and not imported.traces and imported.left_out == 1
    assert imported.has('warning: "custom_inputs_entrypoint" is not carried over')
    assert imported.has("error: the inputs are made by the definition's code")


def inputs_are_made_by_code_where_that_is_asked_for():
    made = {"name": "a", "key": "", "shape": [6, 8], "dtype": "float32", "drawn": ""}
    said = {"why": "", "line": 0, "is_slow": False}
    answers = [{**said, "text": json.dumps({"inputs": [made]})}, {**said, "path": "/made/0.safetensors"}]
    imported = problem(custom_inputs_entrypoint="make", lines=[CUSTOM], answers=answers)
    trace, = imported.traces
    assert trace["workload"]["inputs"]["a"] == {"type": "safetensors", "path": "/made/0.safetensors", "tensor_key": "a"}
    imported = problem(custom_inputs_entrypoint="make", lines=[CUSTOM],
                       answers=[{**said, "why": "ValueError: no", "line": 2}])
    assert imported.has("error: make() makes no inputs: ValueError: no (line 2): workload left out")
    for text in ("[" * 100_000, json.dumps({"inputs": [{**made, "shape": [1e999]}]}), json.dumps({"inputs": [{**made, "shape": [1e308]}]})):
        imported = problem(custom_inputs_entrypoint="make", lines=[CUSTOM, workload(6)], answers=[{**said, "text": text}])
        assert imported.has("error: make() makes no inputs: ") and len(imported.traces) == 1, imported.notes


def a_tolerances_place_is_a_configuration_file():
    imported = problem(lines=[workload(6, tolerance={"max_atol": 0.1, "required_matched_ratio": 0.9})])
    assert "tolerance" not in imported.traces[0]["workload"]
    assert imported.said[-1]["hint"].endswith("definition_config: {op_n8: {atol: 0.1, required_matched_ratio: 0.9}}")
    assert problem(lines=[workload(6, tolerance=1)]).said[-1]["hint"] == "kbench has no such setting"
    settings = read_texts(sol_execbench, {"p/config.json": '{"iterations": 1}'})
    assert settings.has('the settings {"iterations":1} are not carried over') and settings.left_out == 0


def a_workload_is_of_the_definition_beside_it():
    imported = read_texts(sol_execbench, {"b/workload.jsonl": json.dumps(workload(1))})
    assert not imported.traces and imported.has("error: there is no definition.json beside it")


def cuda_solutions_get_their_flags():
    imported = solution(["cuda_cpp", "cublas"], compile_options={"cflags": ["-g"], "cuda_cflags": ["-O1"]})
    spec = imported.solutions[0]["spec"]
    assert (spec["language"], spec["binding"], spec["dependencies"]) == ("cuda", "torch", ["cublas"])
    assert spec["compile_flags"] == ["-O1"] and spec["link_flags"] == ["-lcuda"] and "compile_options" not in spec
    assert imported.has('warning: "cflags" is not carried over')


def of_pythons_languages_the_more_special_one_counts():
    spec = solution(["pytorch", "triton"]).solutions[0]["spec"]
    assert spec["language"] == "triton" and "compile_flags" not in spec


def languages_that_kbench_lacks_are_refused_by_name():
    for language in ("cute_dsl", "cutile", "cudnn_frontend", "fortran"):
        imported = solution([language])
        assert not imported.solutions and imported.has(f'error: language "{language}" has no counterpart')


def axes_of_a_long_chain_are_computed_once():
    chain = {f"e{i}": expression(f"e{i + 1} + 1") for i in range(9000)}
    imported = problem({**chain, "e9000": expression("M")}, lines=[workload(6), workload(7, "v")])
    assert [one["workload"]["axes"]["e0"] for one in imported.traces] == [9006, 9007]
    wide = {"h": expression(f"min({','.join(['M'] * 9000)})")}
    imported = problem(wide, lines=[workload(6, str(i)) for i in range(200)])
    assert 50 < len(imported.traces) < 200 and imported.has("take too long, for all workloads together")
