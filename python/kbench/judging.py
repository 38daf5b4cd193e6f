"""Judges a Python function or a source file as a solution, without files in the trace set."""
import builtins
import functools
import inspect
import json
import os
import re
import symtable
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from . import confined
from .api import PathLike, run, show, trace_set, validate
from .command import Failed
from .records import Workspace

LANGUAGES = {".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".cu": "cuda", ".py": "python"}


def judge(candidate: Callable[..., Any] | PathLike | None = None, *, definition: str, root: PathLike | None = None,
          sources: Sequence[PathLike] = (), spec: dict[str, Any] | None = None, **options: Any) -> Any:
    """Judges a function, or a file in C++, CUDA or Python, as a solution of a definition of the trace set `root`.

    `sources` are further files that it includes or imports, `spec` has keys of the Solution's spec that count before
    the chosen ones: compile_flags, binding, or entry_point ("kernel.cpp::run"); others raise Failed. Options and the Evaluations that are
    returned are those of run(); tensors are read wherever workloads name them. A function has the definition's inputs
    as parameters and returns the outputs; or it has the outputs as further parameters and writes them. Without a
    candidate it is a decorator: the function gets verdict(**options), which judges it.
    """
    if candidate is None:
        given = {"definition": definition, "root": root, "spec": spec, **options}

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            setattr(function, "verdict", functools.partial(judge, function, **given))
            return function
        return decorate
    record = show(definition, root)
    there = Path(trace_set(root)).resolve()
    within = Path(os.sep) if options.get("allow_outside") else there
    solution = _of_function(candidate, record) if callable(candidate) else _of_files(within, [candidate, *sources])
    solution["definition"] = record["name"]
    solution["spec"].update(spec or {})
    workspace = _workspace(there, within, solution)
    unknown = [f"{one.raw['pointer'][1:].replace('/', '.')}: {one.message}\n  hint: {one.hint}"
               for one in validate(workspace.path / "solutions", strict=True) if one.message.startswith("unknown key")]
    if unknown:
        raise Failed("\n".join(unknown), 2)
    return run(**{"root": workspace, "allow_outside": True, "definition": record["name"], "solution": solution["name"],
                  **options})


def _of_function(function: Callable[..., Any], definition: dict[str, Any]) -> dict[str, Any]:
    writes = len(inspect.signature(function).parameters) == len(definition["inputs"]) + len(definition["outputs"])
    return _solution(function.__name__, {"main.py": standalone(function)}, function.__name__, writes)


def _of_files(root: PathLike, paths: list[PathLike]) -> dict[str, Any]:
    texts = {Path(path).name: confined.read_named(root, path).decode() for path in paths}
    return _solution(Path(paths[0]).stem, texts, "run", Path(paths[0]).suffix != ".py")


def _solution(name: str, sources: dict[str, str], entry: str, writes: bool) -> dict[str, Any]:
    """A Solution's JSON object; the first of the sources has the entry point, and its ending tells the language."""
    main, text = next(iter(sources.items()))
    language = LANGUAGES.get(Path(main).suffix, Path(main).suffix)
    if language == "python" and re.search(r"^\s*(import|from) triton\b", text, re.MULTILINE):
        language = "triton"
    spec = {"language": language, "target_hardware": ["cuda" if language in ("cuda", "triton") else "cpu"],
            "entry_point": f"{main}::{entry}", "destination_passing_style": writes}
    return {"name": name, "author": "python", "spec": spec,
            "sources": [{"path": path, "content": content} for path, content in sources.items()]}


def _workspace(root: Path, within: Path, solution: dict[str, Any]) -> Workspace:
    """A trace set of this solution and of what `root` says of its definition, copied where it is really below `within`: text
    that is wrong is quoted. All else in it are links to that in `root`: tensors, say."""
    workspace, copied = Workspace(), ("definitions", "workloads")
    confined.write(workspace, "solutions/candidate.json", json.dumps(solution).encode())
    for there in root.iterdir():
        if there.name not in ("solutions", "traces", *copied):
            os.symlink(there, workspace.path / there.name)
    for path in (Path(folder, name) for part in copied for folder, _, names in os.walk(root / part) for name in names):
        if path.suffix in (".json", ".jsonl") and solution["definition"].encode() in (text := confined.read(within, path)):
            confined.write(workspace, path.relative_to(root), text)
    return workspace


def standalone(function: Callable[..., Any], name: str | None = None) -> str:
    """A module with a function's source, without decorators, and the imports that it needs; `name` renames it.

    Raises ValueError that names the closures and globals which are no imports, and OSError where there is no source.
    """
    source = textwrap.dedent(inspect.getsource(function))
    _, define, body = re.split(rf"^(def {function.__name__}\b|\Z)", source, maxsplit=1, flags=re.MULTILINE)
    if not define:
        raise ValueError(f"{function.__name__} is not defined by def, so it has no source that stands alone")
    around = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    needed = set(_globals(symtable.symtable(define + body, "main.py", "exec"))) - {function.__name__}
    imports = {one: _import(one, around.get(one), function.__module__) for one in sorted(needed)
               if one in around or not hasattr(builtins, one)}
    if missing := [one for one, statement in imports.items() if not statement]:
        raise ValueError(f"{function.__name__} needs {', '.join(missing)} from around it, and only imports go with it: "
                         "define the rest inside of it, or judge a file by its path")
    return "".join(f"{one}\n" for one in imports.values()) + f"\n\ndef {name or function.__name__}{body}"


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Names that a module's text uses and does not define."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and not symbol.is_assigned() and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals(child)


def _import(name: str, value: Any, home: str) -> str:
    """The statement that imports a value under a name, or "" where it is of the module `home` or cannot be imported."""
    if isinstance(value, types.ModuleType):
        return f"import {name}" if value.__name__ == name else f"import {value.__name__} as {name}"
    module, original = getattr(value, "__module__", None) or home, getattr(value, "__name__", name)
    there = getattr(sys.modules.get(module), original, None)
    return f"from {module} import {original} as {name}" if module != home and there is value else ""
