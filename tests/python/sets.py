"""A small trace set: a definition, two workloads, and solutions that are right, wrong and slow."""

import contextlib
import importlib
import json
import os
import pathlib
import sys
import tempfile

import kbtest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINITION = {
    "name": "scale_d64", "op_type": "scale", "axes": {"batch": {"type": "var"}, "d": {"type": "const", "value": 64}},
    "inputs": {"x": {"shape": ["batch", "d"], "dtype": "float32"}, "factor": {"shape": None, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["batch", "d"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x, factor):\n    return x * factor\n"}
KERNEL = """#include "kbench_ffi.h"
void scale(kbench::Tensor x, double factor, kbench::Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i] * static_cast<float>(factor);
}
KBENCH_EXPORT(run, scale)
"""
SOLUTIONS = {"right": KERNEL, "wrong": KERNEL.replace("KBENCH_EXPORT", "/**/KBENCH_EXPORT").replace(
    "static_cast<float>(factor);", "(i == 3 ? 0.0f : static_cast<float>(factor));")}


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


@contextlib.contextmanager
def trace_set(workloads=2):
    """The folder of such a set; its workloads have 1, 2, … rows."""
    with folder() as root:
        write(root / "definitions/scale/scale_d64.json", json.dumps(DEFINITION))
        write(root / "workloads/scale/scale_d64.jsonl", "".join(json.dumps(workload(rows)) + "\n"
                                                               for rows in range(1, workloads + 1)))
        for name, text in SOLUTIONS.items():
            write(root / f"solutions/me/scale/scale_d64/{name}.json", json.dumps(solution(name, text)))
        yield root


def workload(rows):
    return {"definition": "scale_d64", "solution": None, "evaluation": None, "workload": {
        "uuid": f"00000000-0000-0000-0000-{rows:012}", "axes": {"batch": rows},
        "inputs": {"x": {"type": "random"}, "factor": {"type": "scalar", "value": 0.5}}}}


def solution(name, text):
    return {"name": name, "definition": "scale_d64", "author": "me", "sources": [{"path": "kernel.cpp", "content": text}],
            "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "kernel.cpp::run",
                     "destination_passing_style": True}}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def raised(kind, function, *arguments, **keywords):
    """The exception that a call raises."""
    try:
        function(*arguments, **keywords)
    except kind as error:
        return error
    raise AssertionError(f"{function} did not raise {kind.__name__}")


def needs(name):
    """The module, or a case that is skipped."""
    if name == "torch":
        sys.setdlopenflags(os.RTLD_LAZY)  # functions of CUDA that are not there are not called either
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise kbtest.Skip(f"{name} cannot be imported: {error}")
