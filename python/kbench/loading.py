"""Loads what `kbench build --output` has made of a solution, to be called with tensors of torch."""
import contextlib
import ctypes
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

from .api import PathLike, build
from .command import Failed


def load_solution(solution: Mapping[str, Any], inputs: Sequence[str], output: PathLike, **options: Any) -> Callable[..., Any]:
    """The function of a Solution's JSON object, called with its definition's `inputs` and, in destination passing style,
    the outputs after them. It is built below `output`; options are those of build(). Raises Failed where it cannot be."""
    name, spec = solution["name"], solution["spec"]
    if spec.get("launch"):
        raise Failed(f"{name} is a kernel by itself, which only kbench's worker launches", 2)
    built = next(row for row in build(name, output=output, **options) if row["solution"] == name)
    if built["outcome"] != "built":
        raise Failed(f"{name} is not built: {built['cause']}", 1)
    if spec["language"] in ("cpp", "cuda") and spec.get("binding") != "torch":
        import tvm_ffi
        return getattr(tvm_ffi.load_module(built["library"]), built["function"])  # type: ignore[no-any-return]
    function = _imported(Path(built["library"]))
    for part in built["function"].split("."):
        function = getattr(function, part)
    return _in_order(function, inputs)


def _imported(path: Path) -> Any:
    """A module that no other one finds: two solutions may have files of one name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module of Python")
    if path.suffix == ".so":  # kbench links extensions to none of torch's libraries
        import torch
        ctypes.CDLL(str(Path(torch.__file__).parent / "lib/libtorch_python.so"), ctypes.RTLD_GLOBAL)
    module = importlib.util.module_from_spec(spec)
    with _own_modules(str(path.parent)):
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _own_modules(folder: str) -> Iterator[None]:
    """While it lasts, modules of `folder` stand in the place of all others of their names; afterwards nobody finds them."""
    names = {path.stem for path in Path(folder).iterdir()}

    def take() -> dict[str, Any]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in names}

    others = take()
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(folder)
        take()
        sys.modules.update(others)


def _in_order(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """By name where a function has the inputs in another order, as the judge calls it."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # an extension module has none
        return function
    if parameters[:len(names)] == list(names) or not set(names) <= set(parameters):
        return function
    more = [name for name in parameters if name not in names]
    return lambda *values: function(**dict(zip([*names, *more], values)))
