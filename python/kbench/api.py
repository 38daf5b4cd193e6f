"""The program's commands as functions. Keywords are a command's options, as `kbench run --help` lists them."""
import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Callable

from .command import call
from .records import Comparison, Entry, Evaluation, Evaluations, Message, R, Ratio, Records, Search, Workspace

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
    return TraceSet(trace_set(root), *(_records(Entry.of, call("list", what, format="json", root=root))
                                       for what in ("definitions", "workloads", "solutions", "traces")))


def show(name: PathLike, root: PathLike | None = None) -> dict[str, Any]:
    """A definition or solution, a file or a name (exactly, else by unique prefix), with every default filled in. Where both
    have the name it is the definition."""
    return dict(shown(name, root)["record"])


def shown(name: PathLike, root: PathLike | None = None) -> dict[str, Any]:
    """What `kbench show` prints of it first: its `kind`, its `record`, of a solution its `hash`."""
    return dict(json.JSONDecoder().raw_decode(call("show", name, root=root).stdout)[0])


def validate(*paths: PathLike, **options: Any) -> Records[Message]:
    """What `kbench validate` finds in files, folders, trace sets and names. `status` is 2 where there is an error."""
    done = call("validate", *paths, format="json", good=(0, 2), **options)
    return Records([Message.of({"path": file["path"], **message}) for file in json.loads(done.stdout)["files"]
                    for message in file["messages"]], done.stderr, done.returncode)


def run(*, progress: Callable[[Evaluation], None] | None = None, **options: Any) -> Evaluations:
    """Judges solutions on workloads: `kbench run`. `progress` gets each evaluation as soon as it is known.

    Where nothing is judged the list is empty, and its `log` says why.
    """
    make = partial(Evaluation.of, root=options.get("root"))
    how: dict[str, Any] = {}
    if progress is not None:
        if options.pop("no_save_results", False):
            options["out"] = Workspace()
        folder = Path(options.get("out") or trace_set(options.get("root")), "traces")
        how["meanwhile"] = _follow(folder, lambda line: progress(make(json.loads(line))))
    return _evaluations(call("run", format="json", **how, **options), make)


def compare(a: PathLike, b: PathLike, **options: Any) -> Comparison:
    """Whether B is faster than A: two solutions, two authors, or two folders of traces. `kbench compare`."""
    raw = json.loads(call("compare", a, b, format="json", **options).stdout)
    return Comparison.of(raw, workloads=Records(map(Ratio.of, raw["workloads"])))


def tune(*definitions: str, **options: Any) -> Records[Search]:
    """Searches for the configurations with which solutions are fastest: `kbench tune`."""
    return _records(Search.of, call("tune", *definitions, format="json", **options))


def build(*solutions: str, output: PathLike, **options: Any) -> list[dict[str, Any]]:
    """Builds solutions: `kbench build --output`. Each object has `solution`, `outcome`, `cause`, and where it was built
    the `library` (a file of Python where it is in Python) and the `function` in it."""
    return list(json.loads(call("build", *solutions, output=output, format="json", **options).stdout))


def apply_table(*paths: PathLike, **options: Any) -> dict[str, Any]:
    """Which solution to call, for each definition and size, as records say: `kbench apply-table`. Raises Failed where there
    is nothing to choose from."""
    return dict(json.loads(call("apply-table", *paths, **options).stdout))


def report(*paths: PathLike, format: str | None = None, **options: Any) -> Any:
    """The recorded evaluations (an empty list where there are none). With a `format` (html, csv, …) or an `output` file,
    which tells the format by its name, what `kbench report` prints."""
    as_text = format or "output" in options
    done = call("report", *paths, format=format if as_text else "json", **options)
    return done.stdout if as_text else _evaluations(done, partial(Evaluation.of, root=options.get("root")))


def _records(make: Callable[[Any], R], done: CompletedProcess[str]) -> Records[R]:
    return Records(map(make, json.loads(done.stdout)), done.stderr, done.returncode)


def _evaluations(done: CompletedProcess[str], make: Callable[[Any], Evaluation]) -> Evaluations:
    return Evaluations(map(make, json.loads(done.stdout)), done.stderr, done.returncode)


def _follow(folder: Path, handle: Callable[[bytes], None]) -> Callable[[], None]:
    """A function that hands on the lines which the trace files below a folder got since its last call.

    The program prints its JSON when all is judged, but appends each record to a file at once, whole and synced.
    """
    offsets = {path: path.read_bytes().rfind(b"\n") + 1 for path in folder.rglob("*.jsonl")}  # what is torn will be cut off

    def look() -> None:
        for path in sorted(folder.rglob("*.jsonl")):
            with path.open("rb") as file:
                file.seek(offsets.setdefault(path, 0))
                lines = [line for line in file if line.endswith(b"\n")]
            offsets[path] += sum(map(len, lines))
            for line in lines:
                handle(line)
    return look
