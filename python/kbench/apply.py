"""Calls the quickest solutions in a running program."""
import functools
import json
import math
import os
from collections import Counter
from typing import Any, Callable, Mapping

from . import confined
from .api import PathLike, shown
from .command import Failed
from .definition import workload
from .loading import load_solution
from .records import Workspace
from .stand_in import Arguments, StandIn

ALIGNMENT = 64  # bytes: where tensors begin that the judge gives to solutions on the CPU
DEVICES = {"cpp": "cpu", "cuda": "cuda", "triton": "cuda"}
REASONS = 1000  # why the function was called itself: as many are told apart
KEPT = 10_000  # calls of different shapes whose solutions are remembered


class apply(StandIn):
    """Calls in the place of a function the solution that a table of apply_table() has for the arguments' axes.

    A decorator of the function; or, with `target` ("module:function"), a context manager that puts itself in the
    function's place. `table` is a file or its JSON object; definition and solutions are those of the trace set `root`.
    Axes that are in no entry get the nearest entry's solution. The outputs are new tensors of torch: one, or a tuple in
    the definition's order. The function itself is called where no solution can be: `fallbacks` counts these calls by
    their reasons, `solutions` the others by solution. What a solution raises is raised; Failed where it is not built.
    """

    def __init__(self, table: PathLike | Mapping[str, Any], definition: str | Mapping[str, Any], target: str | None = None, *,
                 root: PathLike | None = None):
        super().__init__(definition, target, root)
        self.entries = _entries(table, root or os.curdir, self.definition["name"])
        if not isinstance(definition, str) and _contract(definition) != _contract(shown(definition["name"], root)["record"]):
            raise ValueError(f"the trace set's {definition['name']} has other axes, inputs or outputs")
        self.root, self.folder = root, Workspace()
        self.fallbacks: Counter[str] = Counter()
        self.solutions: Counter[str] = Counter()
        self._loaded: dict[str, tuple[str, str, bool, Callable[..., Any]]] = {}

    def replacement(self, function: Callable[..., Any], read: Callable[..., Arguments]) -> Callable[..., Any]:
        from torch import Tensor, is_grad_enabled
        from torch.nn import Parameter
        is_unusual, plain = _is_unusual(), (Tensor, Parameter)
        tensors = [place for place, spec in enumerate(self.definition["inputs"].values()) if spec["shape"] is not None]
        calls: dict[Any, tuple[str, Callable[..., Any] | None]] = {}
        solutions = self.solutions

        @functools.wraps(function)
        def applied(*args: Any, **kwargs: Any) -> Any:
            try:
                values = read(args, kwargs)
                types = [type(one) for one in values]
                if is_unusual() or any(types[place] not in plain for place in tensors):
                    raise TypeError("an input is no plain tensor, or torch traces or transforms the call")
                key = (is_grad_enabled(), *types, *[
                    (one.shape, one.dtype, one.device, one.is_contiguous(), one.is_neg(), one.requires_grad,
                     one.data_ptr() % ALIGNMENT) for one in map(values.__getitem__, tensors)])
            except (KeyError, TypeError, RuntimeError) as error:
                self._fall_back(str(error))
                return function(*args, **kwargs)
            known = calls.get(key)
            if known is None:
                if len(calls) >= KEPT:
                    calls.clear()
                known = calls[key] = self._choose(values, key[0])
            name, call = known
            if call is None:
                self._fall_back(name)
                return function(*args, **kwargs)
            solutions[name] += 1
            return call(values)
        return applied

    def _fall_back(self, reason: str) -> None:
        self.fallbacks[reason if len(self.fallbacks) < REASONS or reason in self.fallbacks else "others"] += 1

    def _choose(self, values: Arguments, is_grad_enabled: bool) -> tuple[str, Callable[..., Any] | None]:
        """The solution for a call and how to call it; or why none is, and None."""
        try:
            lengths = workload(self.definition, values)["axes"]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return str(error), None
        if reason := self._refusal(values, is_grad_enabled):
            return reason, None
        axes = {name: axis.get("value") for name, axis in self.definition["axes"].items()}
        axes.update(lengths)
        entry = min(self.entries, key=functools.partial(_distance, axes))
        if "solution" not in entry:
            return f"no solution of the table passed at {entry['axes']}, which is nearest", None
        name, language, writes, function = self._load(entry)
        device = next((one.device for one in values if hasattr(one, "device")), None)
        if device is not None and DEVICES.get(language, device.type) != device.type:
            return f"{name} is for tensors on {DEVICES[language]}, not on {device.type}", None
        return name, self._writing(function, axes, device) if writes else self._returning(function)

    def _refusal(self, values: Arguments, is_grad_enabled: bool) -> str:
        """Why no solution can stand in for the function with these arguments, "" where one can."""
        for (name, spec), one in zip(self.definition["inputs"].items(), values):
            if hasattr(one, "shape") and spec["shape"] is None:
                return f"{name} is a tensor, not a number"
            if spec["shape"] is None and spec["dtype"].startswith(("int", "uint")) and not isinstance(one, int):
                return f"{name} is {type(one).__name__}, not {spec['dtype']}"
            if hasattr(one, "shape") and one.is_neg():
                return f"{name} is a view that is negated"
            if hasattr(one, "shape") and not one.is_contiguous():
                return f"{name} is not contiguous"
            if hasattr(one, "shape") and one.data_ptr() % ALIGNMENT:
                return f"{name} does not begin at a multiple of {ALIGNMENT} bytes"
            if is_grad_enabled and getattr(one, "requires_grad", False):
                return f"{name} requires a gradient, and solutions have none"
        return ""

    def _load(self, entry: Mapping[str, Any]) -> tuple[str, str, bool, Callable[..., Any]]:
        """Name, language, whether it writes to outputs that it is given, and the function."""
        chosen = [f"{key}={value}" for key, value in entry.get("configuration", {}).items()]
        key = json.dumps([entry["solution"], chosen])
        if key not in self._loaded:
            solution = self._solution(entry)
            function = load_solution(solution, list(self.definition["inputs"]), self.folder.path / str(len(self._loaded)),
                                     root=self.root, cfg=",".join(chosen) or None)
            spec = solution["spec"]
            self._loaded[key] = solution["name"], spec["language"], bool(spec["destination_passing_style"]), function
        return self._loaded[key]

    def _solution(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The Solution of an entry. Raises Failed where it is not what was judged."""
        name = entry["solution"]
        record = dict((found := shown(name, self.root))["record"])
        if found["kind"] != "solution":
            raise Failed(f"{name} is a definition's name, too: call the solution otherwise", 2)
        if record["definition"] != self.definition["name"]:
            raise Failed(f"{name} is a solution of {record['definition']}, not of {self.definition['name']}", 2)
        if entry.get("solution_hash") != found["hash"]:
            why = "another one than when it was judged" if "solution_hash" in entry else "not said to be the text that was judged"
            raise Failed(f"{name} is {why}: judge it again, and make the table anew", 2)
        return record

    def _writing(self, function: Callable[..., Any], axes: Mapping[str, int], device: Any) -> Callable[..., Any]:
        import torch
        outputs = [([axes[axis] for axis in spec["shape"] or ()], getattr(torch, spec["dtype"]))
                   for spec in self.definition["outputs"].values()]
        empty = torch.empty

        def call(values: Arguments) -> Any:
            made = [empty(shape, dtype=dtype, device=device) for shape, dtype in outputs]
            function(*values, *made)
            return made[0] if len(made) == 1 else tuple(made)
        return call

    def _returning(self, function: Callable[..., Any]) -> Callable[..., Any]:
        from torch import Tensor, from_dlpack
        names = list(self.definition["outputs"])

        def call(values: Arguments) -> Any:
            result = function(*values)
            several = [result[name] for name in names] if isinstance(result, Mapping) else \
                result if isinstance(result, (tuple, list)) else [result]
            made = [one if isinstance(one, Tensor) or not hasattr(one, "__dlpack__") else from_dlpack(one)  # type: ignore
                    for one in several]
            return made[0] if len(names) == 1 else tuple(made)
        return call


def _contract(definition: Mapping[str, Any]) -> list[Any]:
    axes = {name: axis.get("value") for name, axis in definition["axes"].items()}
    return [axes, *({name: (spec["shape"], spec["dtype"]) for name, spec in definition[key].items()}
                    for key in ("inputs", "outputs"))]


def _is_unusual() -> Callable[[], bool]:
    """A function that says whether torch records or transforms what is called, which sees no solution: a trace, a
    dispatch mode (fake tensors, make_fx), forward-mode gradients, vmap and its kin."""
    from torch._C import _get_tracing_state, _len_torch_dispatch_stack
    from torch._C._functorch import peek_interpreter_stack
    from torch.autograd import forward_ad

    def is_unusual() -> bool:
        return bool(_get_tracing_state() is not None or _len_torch_dispatch_stack() or forward_ad._current_level >= 0
                    or peek_interpreter_stack() is not None)
    return is_unusual


def _entries(table: PathLike | Mapping[str, Any], root: PathLike, name: str) -> list[Mapping[str, Any]]:
    """What a table says of a definition: its entries, and without a solution the axis values at which none passed. Raises
    ValueError where it is no table, or has none."""
    raw = table if isinstance(table, Mapping) else json.loads(confined.read_named(root, table))
    definitions = raw.get("definitions") if isinstance(raw, Mapping) else None
    if not isinstance(definitions, Mapping) or raw.get("version", 1) != 1:
        raise ValueError("it is no table of version 1, as kbench apply-table writes it")
    found = definitions.get(name, {})
    if not found.get("entries"):
        raise ValueError(f"the table has no entry of {name}; it has {', '.join(definitions) or 'none at all'}")
    return [*found["entries"], *({"axes": axes} for axes in found.get("unserved", []))]


def _distance(axes: Mapping[str, int], entry: Mapping[str, Any]) -> tuple[float, list[int]]:
    """How far an entry's axes are: docs/apply-table.md. Of two as near the one with smaller values comes first."""
    far = sum(abs(math.log2(axes[name] + 1) - math.log2(value + 1)) for name, value in entry["axes"].items())
    return far, list(entry["axes"].values())
