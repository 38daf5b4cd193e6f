"""FlashInfer's dumps: a Definition a file, as its API calls describe themselves. Facts observed on the files that it ships:
`init` and `check` hold Python source, the reference keeps its own name, a tensor may be "optional" and name its "param",
an argument that was None has the dtype "unknown"."""
import ast
import re

import definitions
import python_text
import running
from work import look, read_records, section, text_of, whole_number


def read(work):
    read_records(work, _kind, {"definition": lambda draft: _definition(work, draft)})


def _kind(work, document):
    value = document.value
    return "definition" if isinstance(value, dict) and {"axes", "inputs", "outputs"} <= value.keys() else None


def _definition(work, draft):
    value = draft.value
    init = text_of(value, "init")
    definitions.add_imports(draft)
    said = draft.drop((), "init", "--run-init runs it, in the sandbox of references, for a workload")
    draft.drop((), "check", "it is FlashInfer's code that judges outputs: rules do it here")
    if "reference" not in value:
        draft.error((), "the dump has no reference: definition left out",
                    '"reference" is Python source that defines run(inputs…) in plain PyTorch')
        value["reference"] = ""
        draft.broken(("reference",))
    definitions.open_constant_axes(draft)
    _give_run(draft)
    definitions.tidy_tensors(draft)
    draft.add("definition")
    if work.run_init and init and draft.document.wanted and not draft.is_bad:
        work.forget(said)
        _add_init_workload(work, draft, init)


def _give_run(draft):
    """The reference's function gets a run() that calls it."""
    text = text_of(draft.value, "reference")
    tree = python_text.parse(text)[0] if text else None
    if tree is None:
        return  # kbench's reader says why
    own = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "run"]
    if own:
        return _rename_outputs(draft, own[0])
    function, why = definitions.meant_function(tree, definitions.inputs_of(draft.value))
    if function is None:
        draft.error(("reference",), f"the reference has no run(): {why}",
                    "name the function that computes the outputs run")
        draft.broken(("reference",))
        return
    _drop_absent_inputs(draft, function)
    _rename_outputs(draft, function)
    alias, ignored = definitions.run_alias(function, definitions.inputs_of(draft.value))
    if ignored:
        draft.warning(("reference",), f"{function.name}() does not take {', '.join(ignored)}: run() does not hand it on",
                      "the reference does not depend on it")
    draft.info(("reference",), f"run() is added to the reference: it calls {function.name}()")
    draft.value["reference"] = f"{python_text.with_line_break(text)}\n\n{alias}"


def _drop_absent_inputs(draft, function):
    """Leaves out the optional inputs that the dumped call did not have, where the reference can do without them."""
    before = _used_axes(draft.value)
    dropped = []
    for name, spec in section(draft.value, "inputs"):
        is_absent = look(spec, "optional") is True and text_of(spec, "dtype") == "unknown"
        if is_absent and definitions.can_do_without(function, text_of(spec, "param") or name):
            draft.warning(("inputs", name), f'optional input "{name}" is left out',
                          f"its dtype is unknown, for the call that was dumped did not have it, and {function.name}() does "
                          "without it")
            dropped.append(name)
            del draft.value["inputs"][name]
    unused = before - _used_axes(draft.value)
    axes = [name for name, axis in section(draft.value, "axes") if name in unused and text_of(axis, "type") == "var"]
    _drop_constraints(draft, {*dropped, *axes})
    for name in axes:
        draft.info(("axes", name), f'axis "{name}" is left out: nothing uses it now')
        del draft.value["axes"][name]


def _used_axes(definition):
    shapes = (look(spec, "shape") for part in definitions.TENSORS for _, spec in section(definition, part))
    return {item for shape in shapes if isinstance(shape, list) for item in shape if isinstance(item, str)}


def _drop_constraints(draft, names):
    old = look(draft.value, "constraints")
    if not isinstance(old, list) or not names:
        return
    kept = []
    for i, constraint in enumerate(old):
        if isinstance(constraint, str) and names.intersection(re.findall(r"\w+", constraint)):
            draft.warning(("constraints", i), f'constraint "{constraint}" is not carried over',
                          "it speaks of an input that is left out")
        else:
            draft.moved(("constraints", len(kept)), ("constraints", i))
            kept.append(constraint)
    draft.value["constraints"] = kept


def _rename_outputs(draft, function):
    """What is written in place is an input and an output of one name, which the schema does not have."""
    braces = (ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
    if any(isinstance(node, ast.Return) and isinstance(node.value, braces) for node in ast.walk(function)):
        return  # outputs are returned by their names
    inputs = look(draft.value, "inputs")
    for name, _ in section(draft.value, "outputs"):
        if isinstance(inputs, dict) and name in inputs:
            draft.warning(("outputs", name), f'output "{name}" is called "{name}_out"',
                          "an output has another name than the inputs: it is written beside them, not in place")
            draft.rename(("outputs",), name, f"{name}_out")


# ---- --run-init: a workload with the inputs that init() makes ----

USUAL_LENGTH = 16  # of an axis that init() wants to be told


def _add_init_workload(work, draft, init):
    definition, at = draft.value, ("init",)
    try:
        inputs, axes = _made_by_init(work, draft, init)
    except running.NotMade as why:
        draft.warning(at, f"no workload is made by init(): {why}", "kbench new workload makes one")
        return
    # Other axes, and inputs that init() does not make, are chosen as by kbench new workload.
    work.add_workload(draft.document, definition["name"], {"axes": axes, "inputs": inputs}, made_of="", is_sampled=True)
    draft.info(at, "a workload is made of what init() makes")


def _made_by_init(work, draft, init):
    definition = draft.value
    found = python_text.functions(python_text.parse(init)[0])
    if not found:
        raise running.NotMade("it is no Python with a function")
    call = {"text": init, "function": found[-1].name, "keywords": _arguments(found[-1], definition),
            "names": [name for name, _ in section(definition, "inputs")], "needs_all": False}
    maker = running.Maker(work, "calling", call)
    made = maker.describe()["inputs"]
    return maker.workload_inputs(made, draft.document.file), running.axes_of_made(made, definition)


def _arguments(function, definition):
    """By name; a function that takes any names gets every axis."""
    told = {"device": "cpu"}
    for name, axis in section(definition, "axes"):
        told[name] = whole_number(axis.get("value")) if text_of(axis, "type") == "const" else USUAL_LENGTH
    arguments = {}
    for one in python_text.parameters(function):
        if one.kind == "var_keyword":
            return {**told, **arguments}
        is_var = text_of(definition, "axes", one.name, "type") == "var"
        if one.name in told and not (is_var and one.has_default):
            arguments[one.name] = told[one.name]
        elif not one.has_default:
            raise running.NotMade(f"nothing is known for its parameter {one.name}")
    return arguments
