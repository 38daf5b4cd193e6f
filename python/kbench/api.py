"""The program's commands as functions. Keywords are a command's options, as `kbench run --help` lists them."""
import json
import os
from dataclasses import dataclass
from subprocess import CompletedProcess
from typing import Any, Callable

from .command import call
from .records import Comparison, Entry, Evaluation, Evaluations, Message, R, Ratio, Records, Search

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
    found: list[Evaluation] = []

    def take(line: bytes) -> None:
        found.append(Evaluation.of(json.loads(line), root=options.get("root")))
        if progress is not None:
            progress(found[-1])
    done = call("run", format="jsonl", each=take, **options)
    return Evaluations(found, done.stderr, done.returncode)


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
    if as_text:
        return done.stdout
    found = [Evaluation.of(raw, root=options.get("root")) for raw in json.loads(done.stdout)]
    return Evaluations(found, done.stderr, done.returncode)


def _records(make: Callable[[Any], R], done: CompletedProcess[str]) -> Records[R]:
    return Records(map(make, json.loads(done.stdout)), done.stderr, done.returncode)
