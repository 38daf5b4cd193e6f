"""Writes the calls of a running program as workloads of a definition."""
import functools
import hashlib
import threading
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Mapping

from . import confined, tensors
from .api import PathLike
from .definition import append_workload, place, workload, write_definition
from .stand_in import Arguments, StandIn


class capture(StandIn):
    """Notes the calls of a function that a definition describes, as workloads below `out` that `kbench validate` accepts.

    A decorator of the function; or, with `target` ("module:function"), a context manager that puts itself in the
    function's place. `definition` is a name in the trace set `root`, or a Definition's JSON object. Axes and scalars
    of every call become a workload with random tensors, once each (of the first 10,000 that differ); the tensors of
    each `every`-th call, from the first one on, go to safetensors files, equal ones to one file, until these have
    `limit_bytes`. Nothing is raised into the program: `skipped` counts calls that were not noted, by their reasons.
    """
    takes_more = True  # outputs to be written, say

    def __init__(self, definition: str | Mapping[str, Any], target: str | None = None, *, every: int = 100,
                 limit_bytes: int = 1 << 30, out: PathLike = ".", root: PathLike | None = None):
        super().__init__(definition, target, root)
        if not isinstance(every, int) or every < 1:
            raise ValueError(f"every is a number of calls, 1 or more, and not {every!r}")
        self.every, self.limit_bytes, self.out = every, limit_bytes, out
        self.calls = self.kept = self.bytes = 0
        self.skipped: Counter[str] = Counter()
        self._seen: set[Any] = set()
        self._lock = threading.Lock()

    def replacement(self, function: Callable[..., Any], read: Callable[..., Arguments]) -> Callable[..., Any]:
        @functools.wraps(function)
        def captured(*args: Any, **kwargs: Any) -> Any:
            try:
                self._note(read(args, kwargs))
            except Exception as error:
                self.skipped[f"{type(error).__name__}: {error}"] += 1
            return function(*args, **kwargs)
        return captured

    def _note(self, values: tuple[Any, ...]) -> None:
        """What every call costs: a key of shapes, dtypes and scalars is made, and looked up."""
        key = tuple([(value.shape, value.dtype) if hasattr(value, "shape") else
                     value if isinstance(value, (bool, int, float)) else type(value) for value in values])
        keep = self.calls % self.every == 0
        self.calls += 1
        fresh = key not in self._seen and len(self._seen) < 10_000
        if keep or fresh:
            with self._lock:
                self._seen.add(key)
                if fresh:
                    self._write(values, False)
                if keep:
                    self._write(values, True)

    def _write(self, values: tuple[Any, ...], keep: bool) -> None:
        work = workload(self.definition, values)
        write_definition(self.out, self.definition, anew=False)
        files = {name: tensors.encode(name, value) for (name, source), value in zip(work["inputs"].items(), values)
                 if source["type"] == "random"} if keep else {}
        paths = {name: place("blob/workloads", self.definition, f"/{hashlib.sha256(file).hexdigest()}.safetensors")
                 for name, file in files.items()}
        fresh = {paths[name]: file for name, file in files.items() if not Path(self.out, paths[name]).exists()}
        if keep and self.bytes + sum(map(len, fresh.values())) <= self.limit_bytes:
            self.bytes += sum(confined.write(self.out, path, file) for path, file in fresh.items())
            self.kept += 1
            for name, path in paths.items():
                work["inputs"][name] = {"type": "safetensors", "path": path, "tensor_key": name}
        append_workload(self.out, self.definition, work)
