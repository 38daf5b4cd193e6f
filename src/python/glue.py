"""kbench's side of what runs in Python: loads a reference and describes what it raises.

Embedded in the plugin (src/python/plugin.cpp), which calls load() and describe().
"""
import contextlib
import inspect
import linecache
import random
import sys
import traceback
import types

import torch

FILE = "reference"  # the name under which the reference's text is known


def load(text, names):
    """Returns run() of the reference `text`, to be called with arguments in the order of `names`."""
    random.seed(0)
    linecache.cache[FILE] = (len(text), None, text.splitlines(True), FILE)
    module = types.ModuleType(FILE)
    module.__file__ = FILE
    sys.modules[FILE] = module
    torch.compile = eager
    # A mode costs microseconds for each operator, so it is there only where it may be needed.
    devices = OnTheCpu() if "cuda" in text else contextlib.nullcontext()
    with devices:
        exec(compile(text, FILE, "exec", dont_inherit=True), module.__dict__)
    return bound(module.run, names, devices)


def eager(function=None, **_):
    """torch.compile: what it makes rounds otherwise, and it needs a compiler."""
    return eager if function is None else function


def bound(run, names, devices):
    """`run` as a function of the arguments in the order of `names`: by name where it has those."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {p.name for p in inspect.signature(run).parameters.values() if p.kind in kinds}
    by_name = known.issuperset(names)

    def call(*arguments):
        with devices:
            return run(**dict(zip(names, arguments))) if by_name else run(*arguments)

    return call


class OnTheCpu(torch.overrides.TorchFunctionMode):
    """A device that the reference names means the CPU: it is evaluated there."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = {name: to_cpu(value) for name, value in (kwargs or {}).items()}
        if function is torch.Tensor.cuda:
            return args[0]
        return function(*map(to_cpu, args), **kwargs)


def to_cpu(value):
    is_device = isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda"))
    return torch.device("cpu") if is_device else value


def describe(error):
    """("ValueError: …", line of the reference's text or 0)"""
    line = 0
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == FILE:
            line = number
    if isinstance(error, SyntaxError) and error.filename == FILE:
        line = error.lineno or 0
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    return text, line
