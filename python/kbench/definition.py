"""Definitions and workloads in the layout of a trace set: drafted from a call, and written."""
import inspect
import json
import math
import uuid
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from . import confined
from .api import PathLike
from .judging import standalone
from .tensors import dtype_name


class Definition(dict[str, Any]):
    """A Definition's JSON object with the arguments of the call that it was drafted from."""
    example: tuple[Any, ...] = ()

    def save(self, root: PathLike) -> Path:
        """Writes it to definitions/ below `root`, with a workload of the example's axes and scalars, tensors random."""
        append_workload(root, self, workload(self, self.example))
        return write_definition(root, self)


def define(function: Callable[..., Any], *example: Any, name: str | None = None, op_type: str | None = None,
           axes: Mapping[str, int] | None = None, var: Iterable[str] | None = None) -> Definition:
    """Drafts a Definition from one call: inputs and outputs from the tensors and scalars, the reference from the source.

    Equal lengths become one axis, so an example whose lengths differ says most. `axes` names lengths, {"M": 64}; others
    are batch_size, which is the first axis of the first tensor, and d128 and the like. `var` are the axes that vary
    (by default that first one). Integers are int64, floats float32. Raises ValueError as standalone() does, and
    for names of no axis.
    """
    first = next((int(value.shape[0]) for value in example if getattr(value, "shape", ())), None)
    names: dict[int | None, str] = {length: axis for axis, length in (axes or {}).items()}
    varying = {names.setdefault(first, "batch_size")} if var is None else set(var)

    def argument(value: Any) -> dict[str, Any]:
        if not hasattr(value, "shape"):
            return {"shape": None, "dtype": {bool: "bool", int: "int64"}.get(type(value), "float32")}
        return {"shape": [names.setdefault(int(n), f"d{n}") for n in value.shape], "dtype": dtype_name(value)}

    lengths = {int(n) for value in example for n in getattr(value, "shape", ())}
    if foreign := [f"{axis} = {n}" for axis, n in (axes or {}).items() if n not in lengths]:
        raise ValueError(f"no tensor of the example has the length of axis {', '.join(foreign)}")
    inputs = {key: argument(value) for key, value in zip(inspect.signature(function).parameters, example)}
    outputs = {key: argument(value) for key, value in _outputs(function(*example)).items()}
    if foreign := sorted(varying - set(names.values())):
        raise ValueError(f"there is no axis {', '.join(foreign)}; there are {', '.join(map(str, names.values()))}")
    kinds = {axis: {"type": "var"} if axis in varying else {"type": "const", "value": n}
             for n, axis in names.items() if n is not None}
    const = [axis if axis == f"d{n}" else f"{axis.lower()}{n}" for n, axis in names.items() if axis not in varying]
    drafted = Definition(name=name or "_".join([function.__name__, *const]), op_type=op_type or function.__name__,
                         axes=kinds, inputs=inputs, outputs=outputs, reference=standalone(function, "run"))
    drafted.example = example
    return drafted


def _outputs(result: Any) -> Mapping[str, Any]:
    """What a reference returned by name: a dict's keys, else output, output1, output2."""
    several = result if isinstance(result, (tuple, list)) else [result]
    return result if isinstance(result, Mapping) else {f"output{number or ''}": one for number, one in enumerate(several)}


def workload(definition: Mapping[str, Any], values: Iterable[Any]) -> dict[str, Any]:
    """The workload of a call: its axes and scalars; tensors are random. Raises ValueError where the call is another one's."""
    lengths = {axis: it["value"] for axis, it in definition["axes"].items() if it["type"] == "const"}
    inputs: dict[str, Any] = {}
    for (name, spec), value in zip(definition["inputs"].items(), values, strict=True):
        if spec["shape"] is None:
            value = value.item() if hasattr(value, "item") else value
            if spec["dtype"].startswith(("int", "uint")) and value != int(value):
                raise ValueError(f"{name} is {value}, not {spec['dtype']}")
            inputs[name] = {"type": "scalar", "value": value if math.isfinite(value) else str(value)}
            continue
        if dtype_name(value) != spec["dtype"] or len(value.shape) != len(spec["shape"]):
            raise ValueError(f"{name} is {dtype_name(value)}{list(value.shape)}, not {spec['dtype']}{spec['shape']}")
        for axis, length in zip(spec["shape"], map(int, value.shape)):
            if lengths.setdefault(axis, length) != length:
                raise ValueError(f"axis {axis} of {name} is {length}, not {lengths[axis]}")
        inputs[name] = {"type": "random"}
    return {"axes": {axis: lengths[axis] for axis, it in definition["axes"].items() if it["type"] == "var"}, "inputs": inputs}


def place(kind: str, definition: Mapping[str, Any], ending: str) -> str:
    """Path of a definition's file in a trace set: <kind>/<op_type>/<name><ending>."""
    op_type, name = (definition[key].replace("/", "_") for key in ("op_type", "name"))
    return f"{kind}/{op_type}/{name}{ending}"


def write_definition(root: PathLike, definition: Mapping[str, Any], anew: bool = True) -> Path:
    """Writes a definition, over what is there if `anew`, else ValueError where another one is. Returns the file."""
    path = Path(root, place("definitions", definition, ".json"))
    try:
        if not anew and json.loads(confined.read(root, path)) != definition:
            raise ValueError(f"{path} is another definition of that name")
    except FileNotFoundError:
        anew = True
    if anew:
        confined.write(root, path.relative_to(root), (json.dumps(definition, indent=2) + "\n").encode())
    return path


def append_workload(root: PathLike, definition: Mapping[str, Any], work: dict[str, Any]) -> None:
    """Appends a workload's line unless it is there; its uuid follows from its content."""
    work = {"uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([definition["name"], work]))), **work}
    record = {"definition": definition["name"], "workload": work, "solution": None, "evaluation": None}
    confined.append(root, place("workloads", definition, ".jsonl"), (json.dumps(record) + "\n").encode(), work["uuid"].encode())
