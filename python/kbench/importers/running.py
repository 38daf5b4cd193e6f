"""Asks kbench to run a stranger's module in the sandbox of references (kbench-torch --python), on the CPU: what it makes, and
the values of it. The texts that run there beside the module are those of inside/."""
import json
import math
import os

from definitions import lengths_of
from work import whole_number

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
MOST_STORED_BYTES = 256 << 20  # of one tensor


class NotMade(Exception):
    """Why a module does not do what it is asked for. `is_slow`: it takes longer than kbench waits."""

    def __init__(self, why, is_slow=False):
        super().__init__(why)
        self.is_slow = is_slow


class Maker:
    """A module that makes inputs: `settings` are those of inside/<program>.py, JSON but for None in the place of null;
    "text" is the module's."""

    def __init__(self, work, program, settings):
        self.work, self.program, self.settings = work, program, settings

    def describe(self, **more):
        """What the program says of the module, with the list "inputs". Raises NotMade."""
        text = self._ask({**self.settings, **more}, ["description"], False)["text"]
        try:  # the module may have written it
            said = json.loads(text)
            for part in ("inputs", "buffers", "outputs"):
                said[part] = [self._checked(one, part) for one in said.get(part, [])]
            size = said.get("batch_size")
            return {**said, "data": str(said.get("data")), "batch_size": size if type(size) is int else None}
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            raise NotMade(f"what it says of itself cannot be read: {error}")

    def _checked(self, said, part):
        """One tensor or number: "name" (of a model's output there is none), "dtype", "shape" or "value"."""
        one = {**said, "name": str(said.get("name", "")), "dtype": str(said["dtype"])}
        if one["name"] and one["dtype"] not in self.work.dtypes:
            raise NotMade(f"{one['name']} is {one['dtype']}, which no Definition has")
        if not isinstance(one.get("value", 0), (bool, int, float)):
            raise TypeError(f"{one['name']} is no number")
        if "value" not in one:
            one["shape"] = [int(length) for length in one.get("shape", [])]
            if len(one["shape"]) > 64 or math.prod(one["shape"]) >= 1 << 56:
                raise NotMade(f"{one['name']} has more elements than any memory")
        if part == "inputs":
            one.update(key=str(one["key"]), drawn=str(one["drawn"]))
            for length in one.get("shape", []):
                if length < 1:
                    raise NotMade(f"{one['name']} has a length of {length}")
        return one

    def workload_inputs(self, made, file):
        """The inputs of a workload: numbers, what is drawn anew in each trial, and for the others a file of tensors. Of
        one that is too large `file` gets a warning. Raises NotMade."""
        inputs, stored = {}, []
        for one in made:
            if "value" in one:
                inputs[one["name"]] = {"type": "scalar", "value": one["value"]}
            elif one["drawn"] or self._is_too_large(one, file):
                inputs[one["name"]] = {"type": "random", **({"kind": "fraction"} if one["drawn"] == "fraction" else {})}
            else:
                inputs[one["name"]] = {"type": "safetensors", "tensor_key": one["name"]}
                stored.append(one["name"])
        if stored:
            path = self._ask({**self.settings, "stored": stored}, stored, True)["path"]
            for name in stored:
                inputs[name]["path"] = path
        return inputs

    def _is_too_large(self, one, file):
        size = math.prod(one["shape"]) * self.work.dtypes[one["dtype"]] // 8
        if size <= MOST_STORED_BYTES:
            return False
        self.work.note("warning", file, f"the values of {one['name']} are not carried over: it has {human_bytes(size)}",
                       "random ones stand in their place, as torch.randn draws them")
        return True

    def _ask(self, settings, outputs, is_stored):
        parts = [read(name) for name in ("inputs", self.program)]
        text = "\n".join([*parts, f"SETTINGS = {settings!r}", "run = program(describe)"])
        # In a text of its own, so that the lines which a traceback has are the module's.
        answer = self.work.ask({"text": f'exec(compile({text!r}, "kbench import", "exec"))\n', "outputs": outputs,
                                "is_stored": is_stored})
        if answer["why"]:
            line = f" (line {answer['line']})" if answer["line"] else ""
            raise NotMade(answer["why"] + line, answer["is_slow"])
        return answer


def read(name):
    with open(os.path.join(FOLDER, f"{name}.py"), encoding="utf-8") as file:
        return file.read()


def human_bytes(size):
    shown, unit = (size / 2**30, "GiB") if size >= 0.9995 * 2**30 else (size / 2**20, "MiB")
    return f"{shown:.{0 if shown >= 99.95 else 1 if shown >= 9.995 else 2}f} {unit}"


def axes_of_made(made, definition, known=None):
    """{axis: length} that give the made inputs their shapes, beside those that are known. Raises NotMade where they do not
    fit the Definition."""
    axes, constants = dict(known or {}), lengths_of(definition)
    for one in made:
        spec = definition["inputs"][one["name"]]
        _check_kind(one, spec)
        for name, length in zip(spec.get("shape") or [], one.get("shape", [])):
            wanted = axes.get(name, whole_number(constants.get(name)))
            if wanted not in (None, length):
                raise NotMade(f"it makes {one['name']} of shape {one['shape']}, where {name} is {wanted}")
            if name not in constants:
                axes[name] = length
    return axes


def _check_kind(one, spec):
    shape = spec.get("shape")
    if "value" in one:
        fits, made = shape is None, "a number"
    else:
        fits = shape is not None and spec["dtype"] == one["dtype"] and len(shape) == len(one["shape"])
        made = f"{one['dtype']} of shape {one['shape']}"
    if not fits:
        axes = "" if shape is None else f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"
        wanted = "a number" if shape is None else f"{spec['dtype']} with {axes}"
        raise NotMade(f"it makes {one['name']} {made}, where the definition has {wanted}")
