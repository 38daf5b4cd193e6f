"""Frozen records over the JSON that the program prints. A field is named as its key, or its metadata says where it stands."""
import importlib.util
import json
import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Iterable, TypeVar

from . import tensors
from .command import call

R = TypeVar("R", bound="Record")


@dataclass(frozen=True)
class Record:
    """What all records have: `raw` is the whole JSON object. A field whose key it lacks is None."""
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls: type[R], raw: dict[str, Any], **more: Any) -> R:
        """The record of a JSON object; `more` are values of fields that it does not hold."""
        mine = [one for one in fields(cls) if one.name not in ("raw", *more)]
        return cls(raw, **{one.name: _find(raw, one.metadata.get("at", one.name)) for one in mine}, **more)

    def row(self) -> dict[str, Any]:
        """The row of a frame: fields by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.repr}


def _find(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return tuple(value) if isinstance(value, list) else value


class Records(list[R]):
    """A list of records. `log` is what the program said on stderr, `status` its exit status."""

    def __init__(self, records: Iterable[R] = (), log: str = "", status: int = 0):
        super().__init__(records)
        self.log, self.status = log, status

    def frame(self) -> Any:
        """A DataFrame with a row a record: of pandas where it is installed, else of polars, else ImportError."""
        for name, more in (("pandas", {}), ("polars", {"infer_schema_length": None})):
            if importlib.util.find_spec(name):
                return importlib.import_module(name).DataFrame([record.row() for record in self], **more)
        raise ImportError("frame() needs pandas or polars, and neither is installed")


@dataclass(frozen=True)
class Evaluation(Record):
    """A solution on a workload, judged. Times are nanoseconds a call, with their 99 % intervals."""
    definition: str
    workload: str = field(metadata={"at": "workload.uuid"})
    axes: dict[str, int] = field(metadata={"at": "workload.axes"})
    solution: str
    status: str = field(metadata={"at": "evaluation.status"})
    cause: str | None = field(metadata={"at": "evaluation.kbench.cause"})
    latency_ns: float | None = field(metadata={"at": "evaluation.kbench.timing.latency_ns"})
    latency_interval_ns: tuple[float, float] | None = field(metadata={"at": "evaluation.kbench.timing.latency_interval_ns"})
    reference_ns: float | None = field(metadata={"at": "evaluation.kbench.timing.reference_latency_ns"})
    speedup: float | None = field(metadata={"at": "evaluation.kbench.timing.speedup.ratio"})
    speedup_interval: tuple[float, float] | None = field(metadata={"at": "evaluation.kbench.timing.speedup.interval"})
    max_absolute_error: float | None = field(metadata={"at": "evaluation.correctness.max_absolute_error"})
    root: str | os.PathLike[str] | None = field(default=None, repr=False, compare=False)

    @property
    def passed(self) -> bool:
        return self.status == "PASSED"

    def row(self) -> dict[str, Any]:
        """The fields, with a column for each axis in the place of `axes`."""
        return {**self.axes, **{name: value for name, value in super().row().items() if name != "axes"}}

    def dump(self, framework: str = "numpy") -> dict[str, dict[str, Any]]:
        """The tensors of the failing input set (else of the first random one), by `kbench replay --dump`.

        Keys are "inputs", "output" (absent where the solution crashed), "reference" and, of the rule kbench, "exact"
        (float64); under each the tensors by name, as numpy arrays or torch tensors (`framework`). numpy has no
        bfloat16: it comes as float32 there. Raises Failed where the record's solution or workload is gone.
        """
        folder = Workspace()
        trace, dump = folder.path / "trace.jsonl", folder.path / "dump"
        trace.write_text(json.dumps(self.raw) + "\n")
        own = isinstance(self.root, Workspace)  # its blob/ is a link to that of the trace set
        call("replay", trace, root=self.root, dump=dump, allow_outside=own)
        return {path.stem: tensors.decode(path.read_bytes(), framework) for path in sorted(dump.iterdir())}


class Evaluations(Records[Evaluation]):
    """The evaluations of a run, in the order in which the program prints them."""

    @property
    def passed(self) -> bool:
        """True where something was judged and all of it passed."""
        return bool(self) and not self.failures

    @property
    def failures(self) -> list[Evaluation]:
        return [one for one in self if not one.passed]

    def dump(self, framework: str = "numpy") -> dict[str, dict[str, Any]]:
        """The tensors of the first failure, else of the first evaluation: Evaluation.dump()."""
        return (self.failures or self)[0].dump(framework)


@dataclass(frozen=True)
class Ratio(Record):
    """Two solutions on a workload: `ratio` is B's time by A's; `answer` is None where one of them is not correct."""
    definition: str
    workload: str
    answer: str | None
    ratio: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Comparison(Record):
    """The answer over all workloads: B is FASTER, SLOWER, SAME or UNDECIDED; None where one of them is not correct."""
    a: str
    b: str
    answer: str | None
    ratio: float | None
    interval: tuple[float, float] | None
    workloads: Records[Ratio]


@dataclass(frozen=True)
class Search(Record):
    """A search for the fastest configuration on a workload; raw["rows"][winner] is the one found."""
    definition: str
    solution: str
    workload: str
    decision: str | None
    winner: int | None


@dataclass(frozen=True)
class Message(Record):
    """What is wrong at a place of a file. A line or column of 0 means the whole file."""
    path: str
    level: str
    line: int
    column: int
    message: str
    hint: str


@dataclass(frozen=True)
class Entry(Record):
    """A line of `kbench list`: a row of a frame is all that it says."""
    definition: str

    def row(self) -> dict[str, Any]:
        return self.raw


class Workspace(os.PathLike[str]):
    """A temporary folder, removed when nothing refers to this object any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="kbench-python-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def __fspath__(self) -> str:
        return str(self.path)

    __str__ = __fspath__
