"""Runs beside a stranger's module, in kbench-torch --python: what the module makes.

Behind this text come one of the others of this folder, with describe(), then the SETTINGS of the importer.
"""
import json
import linecache
import sys
import types

import torch


def program(describe):
    """The run() that a reference has: describe(module) returns a description, JSON, and {input: (key, value)}."""

    def run(zero):
        torch.manual_seed(0)
        said, found = describe(load(SETTINGS["text"]))
        if "stored" in SETTINGS:
            return [found[name][1].clone() for name in SETTINGS["stored"]]
        said["inputs"] = [said_of_input(name, *one) for name, one in found.items()]
        return torch.tensor(list(json.dumps(said).encode()), dtype=torch.int8)

    return run


def load(text, name="reference"):
    """A module of this text. Lines of a file "reference" are those that kbench-torch's messages have."""
    module = types.ModuleType(name)
    module.__file__ = name
    sys.modules[name] = module
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)
    return module


def said_of_input(name, key, value):
    drawn = "" if key or not torch.is_tensor(value) else drawn_as(value)
    return {"name": name, "key": key, **said_of(value), "drawn": drawn}


def said_of(value):
    if isinstance(value, (bool, int, float)):
        return {"value": value, "dtype": {bool: "bool", int: "int64", float: "float32"}[type(value)]}
    if not torch.is_tensor(value):
        return {"dtype": type(value).__name__}
    return {"shape": list(value.shape), "dtype": str(value.dtype).replace("torch.", "")}


def drawn_as(value):
    """"normal" where the values are as torch.randn makes them, "fraction" of torch.rand, else ""."""
    if not value.is_floating_point() or value.numel() < 2:
        return ""
    wide = value.flatten()[:1 << 20].double()
    allowed = 6 / wide.numel() ** 0.5
    if bool(abs(wide.mean()) < allowed) and bool(abs(wide.std() - 1) < allowed):
        return "normal"
    is_fraction = bool(wide.min() >= 0) and bool(wide.max() <= 1) and bool(abs(wide.mean() - 0.5) < 0.3 * allowed)
    return "fraction" if is_fraction else ""
