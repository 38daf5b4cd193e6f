"""KernelBench: a problem is a module with a class Model, get_inputs() and get_init_inputs(), an answer one with a class
ModelNew. A problem becomes a Definition whose inputs are the arguments of forward() and the parameters and buffers that
__init__() makes, and a workload with these."""
import ast
import json
import re

import answers
import python_text
import running
from python_text import tidy_name, with_line_break
from work import attempt

OP_TYPE = "kernelbench"
PROBLEM_MODULE = "kernelbench_problem"  # beside an answer's text
HAS = "a problem has Model, get_inputs() and get_init_inputs()"

# Calls a Model, for references and answers.
CALLING = """

def kbench_call(model, values):
    known = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    state = {key: values[name] for key, name in KBENCH_STATE.items() if key in known}
    arguments = [value for name, value in values.items() if name not in KBENCH_STATE.values()]
    return torch.func.functional_call(model, state, tuple(arguments))
"""

# Makes an answer's model once. Parameters of other names than the problem's would keep their random numbers.
MAKING = """
_kbench_models = []


def _kbench_made():
    torch.manual_seed(0)
    model = ModelNew(*get_init_inputs())
    own = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    strange = [key for key in own if key not in KBENCH_STATE]
    left = [name for key, name in KBENCH_STATE.items() if key not in own]
    if strange and left:
        raise RuntimeError(f"ModelNew holds {', '.join(strange)}, which the problem's model does not have, and nothing "
                           f"takes the inputs {', '.join(left)}: name its parameters as the problem's are")
    return model
"""


def read(work):
    problems, found = [], []
    for file in work.files:
        if file.wanted:
            _tell_kind(work, file, problems, found)
    places = {}
    for file, tree in problems:
        attempt(work, file, lambda one: _add_problem(work, one, tree, places))
    for file in found:
        attempt(work, file, lambda one: _add_answer(work, one, places))


def _tell_kind(work, file, problems, found):
    tree, why, at = python_text.parse(file.text)
    if tree is None:
        work.leave_out(file, f"is no Python: {why}", at=at)
        return
    work.readable += 1
    if _class_at(file, tree, "ModelNew") is not None:
        found.append(file)
    elif _class_at(file, tree, "Model") is not None:
        problems.append((file, tree))
    else:
        work.unknown += 1
        work.leave_out(file, "defines neither a class Model nor a class ModelNew: it is left out",
                       f"{HAS}, an answer ModelNew", 0)


def _class_at(file, tree, name):
    """The byte where a class of the module's top level begins; None where there is none."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return python_text.offset_of(file.text, node.lineno, node.col_offset)
    return None


class Place:
    """What the name of a problem's file says: "19_relu", level "1" below a folder level1, number "19"."""

    def __init__(self, stem, level):
        self.stem, self.level, self.number = stem, level, re.match("[0-9]*", stem).group()

    def is_answered_by(self, stem):
        """"level_1_problem_19_sample_0_kernel" answers number 19 of level 1, "19_relu_new" 19_relu."""
        number, level = _number_behind(stem, "problem"), _number_behind(stem, "level")
        if number:
            return number == self.number and (not level or not self.level or level == self.level)
        return stem.startswith(self.stem)


def _number_behind(text, word):
    found = re.search(f"{word}_?([0-9]*)", text)
    return found.group(1) if found else ""


def _stem(file):
    return tidy_name(file.name.rpartition(".")[0])


def _add_problem(work, file, tree, places):
    at = _class_at(file, tree, "Model")
    if all(one.name != "get_inputs" for one in python_text.functions(tree)):
        work.leave_out(file, "is left out: it defines no get_inputs()", HAS, at)
        return
    maker = running.Maker(work, "kernelbench", {"text": with_line_break(file.text)})
    try:
        model = _described(work, maker)
    except running.NotMade as why:
        work.leave_out(file, f"is left out: {why}", at=at)
        return
    place = Place(_stem(file), _number_behind(file.folder.rpartition("/")[2].lower(), "level"))
    definition = _definition(place, model, file.text)
    axes = {"batch_size": model["batch_size"]} if "batch_size" in definition["axes"] else {}
    try:
        inputs = maker.workload_inputs(model["inputs"], file)
    except running.NotMade as why:
        work.leave_out(file, f"is left out: its inputs are not made: {why}", at=at)
        return
    places[definition["name"]] = place
    work.add("definition", file, definition)
    work.add_workload(file, definition["name"], {"axes": axes, "inputs": inputs}, made_of="")


def _described(work, maker):
    model = maker.describe()
    names = {one["name"] for one in model["inputs"]}
    for i, one in enumerate(model["outputs"]):
        one["name"] = "output" if len(model["outputs"]) == 1 else f"output_{i}"
        if one["dtype"] not in work.dtypes:
            raise running.NotMade(f"{one['name']} is {one['dtype']}, which no Definition has")
        one["name"] += "_out" if one["name"] in names else ""
    if model.get("is_same") is not True:
        raise running.NotMade("its answer depends on random numbers that are no parameters of it (dropout?)")
    return model


def _definition(place, model, text):
    axes = Axes(model)
    inputs = {one["name"]: {
        "shape": None if "value" in one else axes.of(one["shape"], not one["key"]), "dtype": one["dtype"],
        "description": f"{one['key']} of the model." if one["key"] else "An argument of forward()."}
        for one in model["inputs"]}
    outputs = {one["name"]: {"shape": axes.of(one.get("shape", []), True), "dtype": one["dtype"],
                             "description": "What forward() returns."} for one in model["outputs"]}
    longest = max((axis.get("value", 0) for axis in axes.found.values()), default=0)
    name = f"{OP_TYPE}_{f'l{place.level}_' if place.level else ''}{place.stem}{f'_d{longest}' if longest > 1 else ''}"
    return {"name": name, "op_type": OP_TYPE, "axes": axes.found, "inputs": inputs, "outputs": outputs,
            "tags": [f"level{place.level}"] if place.level else [], "constraints": [],
            "description": f"KernelBench's problem {place.stem}.", "reference": _reference(text, model["inputs"])}


class Axes:
    """Lengths become axes of their names: d4096. The leading one of all arguments and outputs, where it is what the module
    calls its batch size, differs from workload to workload."""

    def __init__(self, model):
        shapes = [one["shape"] for one in model["inputs"] if not one["key"] and "value" not in one]
        shapes += [one.get("shape", []) for one in model["outputs"]]
        size = model["batch_size"]
        self.has_batch = size is not None and all(shape and shape[0] == size for shape in shapes)
        self.found = {"batch_size": _axis(type="var")} if self.has_batch else {}

    def of(self, shape, is_of_a_call):
        names = []
        for i, length in enumerate(shape):
            is_batch = i == 0 and self.has_batch and is_of_a_call
            names.append("batch_size" if is_batch else f"d{length}")
            if not is_batch:
                self.found[names[-1]] = _axis(type="const", value=length)
        return names


def _axis(**said):
    return {**said, "description": "A length of the problem."}


def _values(inputs):
    return "{" + ", ".join(f'"{name}": {name}' for name in inputs) + "}"


def _reference(text, made):
    """The module, and a function of all its inputs."""
    inputs = [one["name"] for one in made]
    state = json.dumps({one["key"]: one["name"] for one in made if one["key"]}, ensure_ascii=False)
    return (f"{with_line_break(text)}\n\nimport torch\n\n# Which input stands for which parameter or buffer.\n"
            f"KBENCH_STATE = {state}\n{CALLING}\n\ndef run({', '.join(inputs)}):\n"
            '    arguments = get_init_inputs() if "get_init_inputs" in globals() else []\n'
            f"    return kbench_call(Model(*arguments), {_values(inputs)})\n")


# ---- answers ----


def _known_places(work, places):
    """Of every Definition that was made of a problem, in this import or an earlier one."""
    found = dict(places)
    for name, one in work.known.items():
        if one["op_type"] == OP_TYPE and name not in places:
            said = re.fullmatch(f"{OP_TYPE}_(?:l([0-9])_)?(.*?)(?:_d[0-9]+)?", name)
            if said:
                found[name] = Place(said.group(2), said.group(1) or "")
    return found


def _add_answer(work, file, places):
    stem = _stem(file)
    meant = sorted(name for name, place in _known_places(work, places).items() if place.is_answered_by(stem))
    if len(meant) != 1:
        work.leave_out(file, "is left out: " + (f"it may answer {' and '.join(meant)}" if meant else
                                                "no problem is known that it answers"),
                       "its name has level_L_problem_N, or begins as the problem's", 0)
        return
    definition = work.definition(meant[0])
    author = tidy_name(file.folder.rpartition("/")[2]) or OP_TYPE
    inputs = list(definition["inputs"])
    text = (f"{with_line_break(file.text)}\n\nimport torch\nfrom {PROBLEM_MODULE} import KBENCH_STATE, get_init_inputs, kbench_call\n"
            f"{MAKING}\n\ndef run({', '.join(inputs)}):\n    if not _kbench_models:\n        _kbench_models.append(_kbench_made())\n"
            f"    with torch.no_grad():\n        return kbench_call(_kbench_models[0], {_values(inputs)})\n")
    answers.add_solution(work, file, (author, f"{author}_{stem}", definition["name"]), "An answer of KernelBench.",
                         {"main.py": text, f"{PROBLEM_MODULE}.py": definition["reference"]})
