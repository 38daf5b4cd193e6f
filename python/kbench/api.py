"""The program's commands as functions. Keywords are a command's options, as `kbench run --help` lists them."""
import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Callable

from .command import Failed, call
from .records import Comparison, Entry, Evaluation, Evaluations, Message, Ratio, Records, Search, Workspace

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class TraceSet:
    """What `kbench list` says of a trace set. report() has its evaluations whole, show() a definition or solution."""
    root: PathLike
    definitions: Records[Entry]
    workloads: Records[Entry]
    solutions: Records[Entry]
    traces: Records[Entry]


def trace_set(root: PathLike | None = None) -> PathLike:
    """The trace set in question: `root`, else the current folder if it is one, else FIB_DATASET_PATH."""
    here = os.path.isdir("definitions") or os.path.isdir("workloads")
    return root or (os.curdir if here else os.environ.get("FIB_DATASET_PATH", os.curdir))


def load(root: PathLike | None = None) -> TraceSet:
    """What is in a trace set. Raises Failed where there is none."""
    lists = [_records(Entry.of, call("list", what, format="json", root=root))
             for what in ("definitions", "workloads", "solutions", "traces")]
    return TraceSet(trace_set(root), *lists)


def show(name: PathLike, root: PathLike | None = None) -> dict[str, Any]:
    """A definition or solution, a file or a name (exactly, else by unique prefix), with every default filled in."""
    return dict(json.loads(call("show", name, root=root).stdout)["record"])


def validate(*paths: PathLike, **options: Any) -> Records[Message]:
    """What `kbench validate` finds in files, folders, trace sets and names. `status` is 2 where there is an error."""
    done = call("validate", *paths, format="json", good=(0, 2), **options)
    if not done.stdout:
        raise Failed(done.stderr.strip(), done.returncode)
    return Records([Message.of({"path": file["path"], **message}) for file in json.loads(done.stdout)["files"]
                    for message in file["messages"]], done.stderr, done.returncode)


def run(*, progress: Callable[[Evaluation], None] | None = None, **options: Any) -> Evaluations:
    """Judges solutions on workloads: `kbench run`. `progress` gets each evaluation as soon as it is known."""
    make = partial(Evaluation.of, root=options.get("root"))
    if progress is None:
        return _records(make, call("run", format="json", **options), Evaluations)
    if options.pop("no_save_results", False):
        options["out"] = Workspace()
    lines = _new_lines(Path(options.get("out") or trace_set(options.get("root")), "traces"))

    def hand_on() -> None:
        for line in lines():
            progress(make(json.loads(line)))
    return _records(make, call("run", format="json", meanwhile=hand_on, **options), Evaluations)


def compare(a: PathLike, b: PathLike, **options: Any) -> Comparison:
    """Whether B is faster than A: two solutions, two authors, or two folders of traces. `kbench compare`."""
    raw = json.loads(call("compare", a, b, format="json", good=(0, 1, 4), **options).stdout)
    return Comparison.of(raw, workloads=Records(map(Ratio.of, raw["workloads"])))


def tune(*definitions: str, **options: Any) -> Records[Search]:
    """Searches for the configurations with which solutions are fastest: `kbench tune`."""
    return _records(Search.of, call("tune", *definitions, format="json", **options))


def report(*paths: PathLike, format: str | None = None, **options: Any) -> Any:
    """The recorded evaluations (an empty list where there are none), or the text of a `format` such as html or csv."""
    done = call("report", *paths, format=format or "json", good=(0, 4), **options)
    return done.stdout if format else _records(partial(Evaluation.of, root=options.get("root")), done, Evaluations)


def _records(make: Callable[[dict[str, Any]], Any], done: CompletedProcess[str], kind: type = Records) -> Any:
    return kind(map(make, json.loads(done.stdout or "[]")), done.stderr, done.returncode)


def _new_lines(folder: Path) -> Callable[[], list[bytes]]:
    """A function that returns the lines that the trace files below a folder got since its last call.

    The program prints its JSON when all is judged, but appends each record to a file at once, whole and synced.
    """
    offsets = {path: path.stat().st_size for path in folder.rglob("*.jsonl")}

    def read(path: Path) -> list[bytes]:
        with path.open("rb") as file:
            file.seek(offsets.setdefault(path, 0))
            whole = file.read().rpartition(b"\n")[:2]
        offsets[path] += sum(map(len, whole))
        return whole[0].splitlines()
    return lambda: [line for path in sorted(folder.rglob("*.jsonl")) for line in read(path)]
