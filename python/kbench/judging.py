"""Judges a Python function or a source file, without a trace set's files for it."""
from __future__ import annotations

import builtins
import functools
import inspect
import json
import re
import symtable
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Callable, Iterator

from .api import PathLike, run, show, trace_set
from .records import Evaluations, Workspace

LANGUAGES = {".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".cu": "cuda", ".py": "python"}
Candidate = Callable[..., Any] | PathLike


def judge(candidate: Candidate | None = None, *, definition: str, root: PathLike | None = None, entry: str | None = None,
          sources: tuple[PathLike, ...] = (), spec: dict[str, Any] | None = None, **options: Any) -> Any:
    """Judges a function, or a source file in C++, CUDA or Python, as a solution of a definition of the trace set `root`.

    `entry` is the function's name in a file ("run"), `sources` are files that it includes or imports, `spec` has keys
    of the Solution's spec that count before the chosen ones (compile_flags, binding, destination_passing_style).
    Options are those of run(). Without a candidate it is a decorator: the function gets verdict(**options), which
    returns the same Evaluations. A function takes the definition's inputs, and returns the outputs or takes them, too.
    """
    judged = functools.partial(_judge, definition=definition, root=root, entry=entry, sources=sources, spec=spec or {})
    if candidate is not None:
        return judged(candidate, **options)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.verdict = lambda **more: judged(function, **{**options, **more})  # type: ignore[attr-defined]
        return function
    return decorate


def _judge(candidate: Candidate, definition: str, root: PathLike | None, entry: str | None, sources: tuple[PathLike, ...],
           spec: dict[str, Any], **options: Any) -> Evaluations:
    record, root = show(definition, root), Path(trace_set(root)).resolve()
    if callable(candidate):
        path, text, entry = Path("main.py"), standalone(candidate), candidate.__name__
        returns = len(inspect.signature(candidate).parameters) < len(record["inputs"]) + len(record["outputs"])
    else:
        path = Path(candidate)
        text, entry, returns = path.read_text(), entry or "run", path.suffix == ".py"
    language = LANGUAGES.get(path.suffix)
    if language is None:
        raise TypeError(f"{path} is in no language that is known by its ending: {' '.join(LANGUAGES)}")
    if language == "python" and re.search(r"^\s*(import|from) triton\b", text, re.MULTILINE):
        language = "triton"
    device = "cuda" if language in ("cuda", "triton") else "cpu"
    solution = {"name": f"{path.stem if entry == 'run' else entry}", "definition": record["name"], "author": "python",
                "spec": {"language": language, "target_hardware": [device], "entry_point": f"{path.name}::{entry}",
                         "destination_passing_style": not returns, **spec},
                "sources": [{"path": path.name, "content": text},
                            *({"path": Path(more).name, "content": Path(more).read_text()} for more in sources)]}
    workspace = Workspace()
    for there in root.iterdir():
        if there.name not in ("solutions", "traces"):
            (workspace.path / there.name).symlink_to(there)
    file = workspace.path / "solutions" / "python" / record["op_type"].replace("/", "_") / f"{solution['name']}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(solution))
    return run(root=workspace, trace=root, definition=record["name"], solution=solution["name"], **options)


def standalone(function: Callable[..., Any], name: str | None = None) -> str:
    """The source of a function as a module of its own, with the imports that it needs, under another name if given.

    Raises ValueError that names the closures and globals which are no imports, and OSError where there is no source.
    """
    text = textwrap.dedent(inspect.getsource(function))
    text = text[re.search(r"^(async )?def ", text, re.MULTILINE).start():]  # without decorators
    found = inspect.getclosurevars(function)
    known = {**function.__globals__, **found.nonlocals}
    imports, missing = [], []
    for needed in sorted(set(_globals(symtable.symtable(text, "main.py", "exec"))) - {function.__name__}):
        if needed in known:
            imports.append(_import(needed, known[needed]))
        if needed in known and imports[-1] is None or needed not in known and not hasattr(builtins, needed):
            missing.append(needed)
    if missing:
        raise ValueError(f"{function.__name__} needs {', '.join(missing)} from around it; only imports go with it: "
                         "define the rest inside of it, or judge a file by its path")
    text = re.sub(rf"^def {function.__name__}\b", f"def {name or function.__name__}", text, count=1)
    return "\n".join([*imports, "", "", text]).lstrip("\n")


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Names that a module's text uses and does not define."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module") and not symbol.is_assigned():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals(child)


def _import(name: str, value: Any) -> str | None:
    """The statement that imports a value under a name, or None where it is not of an importable module."""
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}" if name != value.__name__ else f"import {name}"
    module, there = getattr(value, "__module__", None), getattr(value, "__name__", name)
    if module in (None, "__main__") or getattr(sys.modules.get(module), there, None) is not value:
        return None
    return f"from {module} import {there} as {name}"
