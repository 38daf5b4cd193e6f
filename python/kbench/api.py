"""The program's commands as functions. Keywords are a command's options, as `kbench run --help` lists them."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Callable, Union

from .command import arguments, call
from .records import Comparison, Entry, Evaluation, Evaluations, Message, Ratio, Records, Search, Workspace

PathLike = Union[str, "os.PathLike[str]"]
Progress = Callable[[Evaluation], None]


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
    def listed(what: str) -> Records[Entry]:
        return _records(Entry.of, _call("list", (what,), {"root": root}))
    return TraceSet(trace_set(root), *map(listed, ("definitions", "workloads", "solutions", "traces")))


def show(name: PathLike, root: PathLike | None = None) -> dict[str, Any]:
    """A definition or solution, a file or a name (exactly, else by unique prefix), with every default filled in."""
    return json.loads(_call("show", (name,), {"root": root}).stdout)["record"]


def validate(*paths: PathLike, **options: Any) -> Records[Message]:
    """What `kbench validate` finds in files, folders, trace sets and names. `status` is 2 where there is an error."""
    done = _call("validate", paths, options, good=(0, 2))
    return Records([Message.of({"path": file["path"], **message}) for file in json.loads(done.stdout)["files"]
                    for message in file["messages"]], done.stderr, done.returncode)


def run(*, progress: Progress | None = None, **options: Any) -> Evaluations:
    """Judges solutions on workloads: `kbench run`. `progress` gets each evaluation as soon as it is known."""
    if progress is None:
        return _evaluations(_call("run", (), options), options)
    if options.get("no_save_results") or options.get("save_results") is False:
        options = {**options, "no_save_results": None, "save_results": None, "out": Workspace()}
    root = options.get("root")
    lines = _new_lines(Path(options.get("out") or trace_set(root), "traces"))

    def watch() -> None:
        for line in lines():
            progress(Evaluation.of(json.loads(line), root=root))
    return _evaluations(_call("run", (), options, watch=watch), options)


def compare(a: PathLike, b: PathLike, **options: Any) -> Comparison:
    """Whether B is faster than A: two solutions, two authors, or two folders of traces. `kbench compare`."""
    raw = json.loads(_call("compare", (a, b), options, good=(0, 1, 4)).stdout)
    return Comparison.of(raw, workloads=Records(map(Ratio.of, raw["workloads"])))


def tune(*definitions: str, **options: Any) -> Records[Search]:
    """Searches for the configurations with which solutions are fastest: `kbench tune`."""
    return _records(Search.of, _call("tune", definitions, options))


def report(*paths: PathLike, format: str | None = None, **options: Any) -> Any:
    """The recorded evaluations (an empty list where there are none), or the text of a `format` such as html or csv."""
    done = _call("report", paths, options, format or "json", good=(0, 4))
    return done.stdout if format else _evaluations(done, options)


def _call(command: str, words: tuple[PathLike, ...], options: dict[str, Any], format: str = "json",
          **how: Any) -> CompletedProcess[str]:
    flags = arguments(command, options, taken=("format",))
    return call(command, *map(os.fspath, words), *flags, f"--format={format}", **how)


def _records(make: Callable[[dict[str, Any]], Any], done: CompletedProcess[str], kind: type = Records) -> Any:
    return kind(map(make, json.loads(done.stdout or "[]")), done.stderr, done.returncode)


def _evaluations(done: CompletedProcess[str], options: dict[str, Any]) -> Evaluations:
    return _records(lambda raw: Evaluation.of(raw, root=options.get("root")), done, Evaluations)


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
