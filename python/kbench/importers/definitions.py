"""What the definitions of several formats need before they are FlashInfer-Bench's."""
import ast
import re

import python_text
from work import look, section, text_of

NO_UNSIGNED = ("of unsigned integers the schema has uint8 alone: declare int16, int32 or int64 where the reference takes "
               "the same bits so")
REFUSED_DTYPES = {
    "float64": "the schema has no 64-bit floats: declare float32 where the reference allows it",
    "uint16": NO_UNSIGNED,
    "uint32": NO_UNSIGNED,
    "uint64": NO_UNSIGNED,
    "string": "an input is a tensor or a number: write the text into the reference",
    "unknown": "the writer of this file did not see the argument: write its dtype",
}
# How references import what most of them need.
IMPORTS = {"torch": "import torch", "math": "import math", "F": "import torch.nn.functional as F"}
TENSORS = ("inputs", "outputs")


def add_imports(draft):
    """Imports torch, math and F where the reference uses them and nothing in it defines them; warns of other names."""
    text = look(draft.value, "reference")
    if not isinstance(text, str):
        return
    added = ""
    for name, at in python_text.undefined_names(text):
        line = IMPORTS.get(name)
        if line and "__future__" not in text:  # nothing may stand before that
            draft.info(("reference",), f'"{line}" is added to the reference', index=at)
            added += line + "\n"
        else:
            draft.warning(("reference",), f"the reference uses {name}, which it does not define",
                          "it will fail there: write the definition, or the import, into it", index=at)
    if added:
        draft.value["reference"] = f"{added}\n{text}"


def open_constant_axes(draft):
    """Constant axes without a value become variable ones."""
    for name, axis in section(draft.value, "axes"):
        if text_of(axis, "type") == "const" and axis.get("value") is None:
            draft.warning(("axes", name), f'const axis "{name}" has no value: it becomes a var axis',
                          "each workload gives its length")
            axis["type"] = "var"
            axis.pop("value", None)


def tidy_tensors(draft):
    """"inputs" and "outputs": dtypes that the schema lacks are refused, keys that it lacks reported; numbers in shapes
    and names that are not declared become axes."""
    dropped = {}
    axes = look(draft.value, "axes")
    axes = axes if isinstance(axes, dict) else {}
    for part in TENSORS:
        for name, spec in section(draft.value, part):
            if isinstance(spec, dict):
                _drop_keys((part, name), spec, dropped)
                _settle_dtype(draft, (part, name), spec)
                _settle_shape(draft, (part, name), spec, axes)
    for key, users in sorted(dropped.items()):
        draft.warning((*users[0], key), f'key "{key}" of {", ".join(at[1] for at in users)} is not carried over',
                      "every workload gives every input" if key == "optional" else "")


def _drop_keys(at, spec, dropped):
    for key in ("optional", "param"):
        if key in spec:
            dropped.setdefault(key, []).append(at)
            del spec[key]


def _settle_dtype(draft, at, spec):
    dtype, place = text_of(spec, "dtype"), (*at, "dtype")
    if dtype == "float4_e2m1fn_x2":
        draft.warning(place, "dtype float4_e2m1fn_x2 is written as float4_e2m1",
                      "kbench counts elements, not pairs: see that the last axis does so, too")
        spec["dtype"] = "float4_e2m1"
    elif dtype in REFUSED_DTYPES:
        draft.error(place, f'dtype {dtype} of "{at[1]}" has no counterpart: definition left out', REFUSED_DTYPES[dtype])
        draft.broken(place)


def _settle_shape(draft, at, spec, axes):
    shape = spec.get("shape")
    for i, item in enumerate(shape if isinstance(shape, list) else []):
        place = (*at, "shape", i)
        is_number = type(item) is int or isinstance(item, str)
        text = str(item) if is_number else ""
        is_declared = text in axes
        if re.fullmatch("[0-9]{1,18}", text) and not (is_declared and isinstance(item, str)):
            shape[i] = _constant(draft, place, text, axes)
        elif re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", text) and not is_declared:
            draft.warning(place, f'axis "{text}" is not declared: it becomes a var axis', "each workload gives its length")
            axes[text] = {"type": "var"}
            draft.moved(("axes", text), place)


def _constant(draft, place, length, axes):
    """The name of the const axis of this length, made where there is none."""
    name = f"size_{length}"
    if name not in axes:
        draft.info(place, f'length {length} in a shape becomes the const axis "{name}"')
        axes[name] = {"type": "const", "value": int(length)}
        draft.moved(("axes", name), place)
    return name


# ---- a reference whose function is not called run ----


def inputs_of(definition):
    """{input: the parameter that it is handed to}"""
    return {name: text_of(spec, "param") or name for name, spec in section(definition, "inputs")}


def meant_function(tree, inputs):
    """The one top-level function that can be meant, or None and why: all that it must be given is an input, and no other
    function speaks of it."""
    found = python_text.functions(tree)
    helpers = {name for one in found for name in _names_in(one) if name != one.name}
    fitting, why = [], "the reference defines no function"
    for one in found:
        if one.name in helpers or isinstance(one, ast.AsyncFunctionDef):
            continue
        lacking = [p.name for p in python_text.parameters(one)
                   if p.is_named and not p.has_default and p.name not in inputs.values()]
        if lacking:
            why = f'{one.name}() needs "{lacking[0]}", which is no input'
        else:
            fitting.append(one)
    if len(fitting) == 1:
        return fitting[0], ""
    return None, "each of these could be meant: " + ", ".join(one.name for one in fitting) if fitting else why


def _names_in(function):
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute)):
                yield node.id if isinstance(node, ast.Name) else node.attr


def can_do_without(function, parameter):
    """Whether it can be called without this parameter: it has a default, or there is none."""
    return all(one.has_default for one in python_text.parameters(function) if one.is_named and one.name == parameter)


def run_alias(function, inputs):
    """The text of a run() that calls it, and the inputs that it does not take."""
    arguments, taken = [], set()
    by_name = takes_all = False
    names = {parameter: name for name, parameter in reversed(inputs.items())}
    for one in python_text.parameters(function):
        takes_all |= one.kind == "var_keyword"
        by_name |= one.kind != "positional"
        name = names.get(one.name)
        if not one.is_named:
            continue
        if name is None:
            by_name = True
            continue
        arguments.append(f"{one.name}={name}" if by_name else name)
        taken.add(name)
    ignored = [name for name in inputs if name not in taken]
    if takes_all:
        arguments += [f"{inputs[name]}={name}" for name in ignored]
        ignored = []
    return f"def run({', '.join(inputs)}):\n    return {function.name}({', '.join(arguments)})\n", ignored


def lengths_of(definition):
    """{axis: its length} of the const ones."""
    return {name: axis.get("value") for name, axis in section(definition, "axes") if text_of(axis, "type") == "const"}
