"""The program's commands as functions. Keywords are the command's options: `kbench run --help` has them."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from .command import Answer, arguments, call
from .records import Comparison, Entry, Evaluation, Evaluations, Message, Ratio, Records, Search, Workspace

PathLike = str | os.PathLike[str]
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
    here = any(map(os.path.isdir, ("definitions", "workloads")))
    return root or (os.curdir if here else os.environ.get("FIB_DATASET_PATH", os.curdir))


def load(root: PathLike | None = None) -> TraceSet:
    """What is in a trace set. Raises Failed where there is none."""
    def listed(what: str) -> Records[Entry]:
        answer = _call("list", (what,), {"root": root})
        return Records(map(Entry.of, json.loads(answer.output)), answer.log, answer.status)
    return TraceSet(trace_set(root), *map(listed, ("definitions", "workloads", "solutions", "traces")))


def show(name: PathLike, root: PathLike | None = None) -> dict[str, Any]:
    """A definition or solution, a file or a name (exactly, else by unique prefix), with every default filled in."""
    return json.loads(_call("show", (name,), {"root": root}).output)["record"]


def validate(*paths: PathLike, **options: Any) -> Records[Message]:
    """What `kbench validate` finds in files, folders, trace sets and names. `status` is 2 where there is an error."""
    answer = _call("validate", paths, options, good=(0, 2))
    return Records([Message.of({"path": file["path"], **message})
                    for file in json.loads(answer.output)["files"] for message in file["messages"]], answer.log, answer.status)


def run(*, progress: Progress | None = None, **options: Any) -> Evaluations:
    """Judges solutions on workloads: `kbench run`. `progress` gets each evaluation as soon as it is known."""
    if progress and (options.get("no_save_results") or options.get("save_results") is False):
        options = {**options, "no_save_results": None, "save_results": None, "out": Workspace()}
    root = options.get("root")
    watch = _follow(options.get("out") or trace_set(root), progress, root) if progress else None
    return _evaluations(_call("run", (), options, watch=watch), root)


def compare(a: PathLike, b: PathLike, **options: Any) -> Comparison:
    """Whether B is faster than A, two solutions, authors or folders of traces: `kbench compare`."""
    raw = json.loads(_call("compare", (a, b), options, good=(0, 1, 4)).output)
    return Comparison.of(raw, workloads=Records(map(Ratio.of, raw["workloads"])))


def tune(*definitions: str, **options: Any) -> Records[Search]:
    """Searches for the configurations with which solutions are fastest: `kbench tune`."""
    answer = _call("tune", definitions, options)
    return Records(map(Search.of, json.loads(answer.output or "[]")), answer.log, answer.status)


def report(*paths: PathLike, format: str | None = None, **options: Any) -> Any:
    """The recorded evaluations (none: an empty list); with a `format` (html, csv, …) `kbench report`'s text."""
    answer = _call("report", paths, options, good=(0, 4), format=format or "json")
    return answer.output if format else _evaluations(answer, options.get("root"))


def _call(command: str, words: tuple[PathLike, ...], options: dict[str, Any], format: str = "json", **how: Any) -> Answer:
    options = arguments(command, options, taken=("format",))
    return call(command, *map(os.fspath, words), *options, f"--format={format}", **how)


def _evaluations(answer: Answer, root: PathLike | None) -> Evaluations:
    records = json.loads(answer.output or "[]")
    return Evaluations([Evaluation.of(raw, root=root) for raw in records], answer.log, answer.status)


def _follow(folder: PathLike, progress: Progress, root: PathLike | None) -> Callable[[], None]:
    """A function that hands on the lines that trace files below a folder got since the last call.

    The program prints its JSON when all is judged, but appends each record to a trace file at once and whole.
    """
    def files() -> list[Path]:
        return sorted(Path(folder, "traces").rglob("*.jsonl"))

    seen = {path: path.stat().st_size for path in files()}

    def look() -> None:
        for path in files():
            with path.open("rb") as file:
                file.seek(seen.get(path, 0))
                lines = file.read().rpartition(b"\n")[0]
            seen[path] = seen.get(path, 0) + len(lines) + bool(lines)
            for line in lines.splitlines():
                progress(Evaluation.of(json.loads(line), root=root))
    return look
