"""What capture() and apply() have in common: they take the place of a function that a definition describes."""
import functools
import inspect
from pkgutil import resolve_name
from typing import Any, Callable, Mapping, TypeVar

from .api import PathLike, show

Arguments = tuple[Any, ...]
S = TypeVar("S", bound="StandIn")
_MISSING = object()


class StandIn:
    """Takes the place of a function: as its decorator, or with `target` ("module:function") while a block runs.

    `definition` is a name in the trace set `root`, or a Definition's JSON object. A subclass has replacement(), and
    says whether it takes calls with arguments that are no inputs of the definition.
    """
    takes_more = False

    def __init__(self, definition: str | Mapping[str, Any], target: str | None, root: PathLike | None):
        self.definition = show(definition, root) if isinstance(definition, str) else definition
        if target is not None and not isinstance(target, str):
            raise TypeError(f'target is "module:function", and a function itself is decorated: {target!r:.60}')
        self.target = target
        self._undo: list[tuple[Any, str, Any]] = []

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{function.__name__} is async, and a solution is called and returns")
        return self.replacement(function, reader(list(self.definition["inputs"]), function, self.takes_more))

    def replacement(self, function: Callable[..., Any], read: Callable[..., Arguments]) -> Callable[..., Any]:
        """The function to be called in its place; read(args, kwargs) gives the definition's inputs in their order."""
        raise NotImplementedError

    def __enter__(self: S) -> S:
        owner, _, name = (self.target or "").rpartition(":")
        if not owner:
            raise TypeError(f'{type(self).__name__}() as a context manager needs target="module:function"')
        *classes, name = name.split(".")
        place = functools.reduce(getattr, classes, resolve_name(owner))
        before = vars(place).get(name, _MISSING)
        replaced = self(getattr(place, name))
        setattr(place, name, staticmethod(replaced) if isinstance(before, staticmethod) else replaced)
        self._undo.append((place, name, before))
        return self

    def __exit__(self, *_: object) -> None:
        place, name, before = self._undo.pop()
        if before is _MISSING:  # it was a base class's
            delattr(place, name)
        else:
            setattr(place, name, before)


def reader(names: list[str], function: Callable[..., Any],
           takes_more: bool = False) -> Callable[[Arguments, dict[str, Any]], Arguments]:
    """A function from a call's arguments to the values of `names`: by name, or by place where the function has none of
    these names. It raises TypeError or KeyError where the call has other ones: too many, too few, one twice, or unless it
    `takes_more` a parameter that is no input and has not its default (`self` may be anything).
    """
    parameters = inspect.signature(function).parameters
    missing = [name for name in names if name not in parameters]
    if missing and len(missing) < len(names):
        raise TypeError(f"{function.__name__}() has no parameter {', '.join(missing)}, as the definition calls its inputs")
    order = list(names if missing else parameters)
    defaults = {name: it.default for name, it in parameters.items() if it.default is not it.empty}
    is_plain, count = order[:len(names)] == names, len(names)

    def read(args: Arguments, kwargs: dict[str, Any]) -> Arguments:
        if is_plain and not kwargs and len(args) == count:
            return args
        given = {**dict(zip(order, args)), **kwargs}
        if len(given) < len(args) + len(kwargs):
            raise TypeError("an argument is there twice, or there are too many")
        for name, value in () if takes_more else given.items():
            if name not in names and name != "self" and (name not in defaults or value is not defaults[name]):
                raise TypeError(f"{name} is no input of the definition")
        given = {**defaults, **given}
        return tuple([given[name] for name in names])
    return read
