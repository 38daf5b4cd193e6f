"""Sets of programs that are known to be right or wrong, as trace sets on which kbench is run from outside.

A set is a folder with `tasks.py`, whose TASKS is a list of dicts, and with C++ sources beside it:
  definition  the Definition, as kbench reads it
  axes        lengths of the workload's var axes
  inputs      the workload's inputs; {"type": "random"} for each that is not named
  source      the C++ file that holds every program of the task; headers beside it go with it
  flags       compile flags of all of them (-DNAME=VALUE)
  truth       flags of the program that computes in long double and rounds once
  programs    [(name, is_right, flags)]
Names of definitions are unique in a set, those of programs in their task.
"""

import ctypes
import importlib.util
import json
import math
import pathlib
import subprocess
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
KBENCH = ROOT / "build" / "bin" / "kbench"
TRUTH = "truth"
SEEDS = [7001, 7002, 7003, 7004, 7005]


def load(folder):
    """The tasks of a set."""
    spec = importlib.util.spec_from_file_location("tasks", pathlib.Path(folder) / "tasks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TASKS


def programs(task):
    """(name, is_right, flags) of each program, the truth first."""
    return [(TRUTH, True, task["truth"]), *task["programs"]]


def solution_name(task, name):
    safe = "".join(c if c.isalnum() else "_" for c in name)
    return f"{task['definition']['name']}__{safe}"


def _solution(folder, task, name, flags):
    source = pathlib.Path(folder, task["source"])
    return {
        "name": solution_name(task, name), "definition": task["definition"]["name"], "author": "set",
        "description": name,
        "spec": {"language": "cpp", "target_hardware": ["CPU"], "entry_point": f"{source.name}::run",
                 "dependencies": [], "destination_passing_style": True,
                 "compile_flags": [*task.get("flags", []), *flags]},
        "sources": [{"path": path.name, "content": path.read_text()}
                    for path in [source, *sorted(source.parent.glob("*.h"))]]}


def _workload(task):
    inputs = {name: {"type": "random"} for name in task["definition"]["inputs"]} | task.get("inputs", {})
    name = json.dumps([task["definition"]["name"], task["axes"]])
    return {"definition": task["definition"]["name"], "solution": None, "evaluation": None,
            "workload": {"uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, name)), "axes": task["axes"],
                         "inputs": inputs}}


def write_trace_set(folder, tasks, root, only_truth=False):
    """Writes the tasks of the set in `folder` as a trace set below `root`."""
    for task in tasks:
        definition = task["definition"]
        place = f"{definition['op_type']}/{definition['name']}"
        _write(root / "definitions" / f"{place}.json", json.dumps(definition, indent=2))
        _write(root / "workloads" / f"{place}.jsonl", json.dumps(_workload(task)) + "\n")
        for name, _, flags in programs(task)[:1 if only_truth else None]:
            _write(root / "solutions" / "set" / f"{place}/{solution_name(task, name)}.json",
                   json.dumps(_solution(folder, task, name, flags)))


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def kbench(root, *arguments):
    """Runs kbench on a trace set. Wrong solutions are no failure."""
    done = subprocess.run([KBENCH, *map(str, arguments)], cwd=root, text=True, capture_output=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"kbench {arguments[0]}: {done.stdout[-2000:]}{done.stderr[-4000:]}")


def traces(root):
    """Every record below `root`."""
    for path in sorted((root / "traces").rglob("*.jsonl")):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def read_safetensors(path):
    """{name: (dtype's name in the format, shape, bytes)}"""
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    body = data[8 + length:]
    return {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


# As DLPack says it: kind of number and bits.
DLPACK = {"F32": (2, 32), "F16": (2, 16), "BF16": (4, 16), "F8_E4M3": (10, 8), "F8_E5M2": (12, 8),
          "I64": (0, 64), "I32": (0, 32), "I16": (0, 16), "I8": (0, 8), "BOOL": (6, 8)}
NAMES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3",
         "float8_e5m2": "F8_E5M2", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
         "bool": "BOOL"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class _Value(ctypes.Union):
    _fields_ = [("as_int", ctypes.c_int64), ("as_float", ctypes.c_double), ("as_pointer", ctypes.c_void_p)]


class _Any(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("padding", ctypes.c_uint32), ("value", _Value)]


INT, BOOL, FLOAT, DL_TENSOR = 1, 2, 3, 7  # tvm-ffi's type indices


class Program:
    """A program that was built here, to be called without kbench."""

    def __init__(self, folder, task, flags, library):
        source = pathlib.Path(folder, task["source"])
        subprocess.run(["c++", "-std=c++17", "-fPIC", "-O2", "-shared", *task.get("flags", []), *flags,
                        "-I", ROOT / "include" / "kbench", "-o", library, source], check=True)
        self._run = getattr(ctypes.CDLL(str(library)), "__tvm_ffi_run")

    def call(self, inputs, outputs):
        """`inputs`: (dtype, shape, bytes) or a number; `outputs`: (dtype, shape). Returns bytes of each."""
        keep, values = [], []
        buffers = [ctypes.create_string_buffer(b"\xcd" * _size(dtype, shape)) for dtype, shape in outputs]
        for item in inputs:
            if isinstance(item, tuple):
                data = ctypes.create_string_buffer(item[2], len(item[2]))
                values.append(_tensor(item[0], item[1], data, keep))
            else:
                index = BOOL if isinstance(item, bool) else INT if isinstance(item, int) else FLOAT
                value = _Value(as_float=item) if index == FLOAT else _Value(as_int=int(item))
                values.append(_Any(index, 0, value))
        for (dtype, shape), buffer in zip(outputs, buffers):
            values.append(_tensor(dtype, shape, buffer, keep))
        result = _Any()
        if self._run(None, (_Any * len(values))(*values), ctypes.c_int32(len(values)), ctypes.byref(result)):
            raise RuntimeError("the program returned an error")
        return [buffer.raw[:_size(*output)] for buffer, output in zip(buffers, outputs)]


def _size(dtype, shape):
    return math.prod(shape) * DLPACK[dtype][1] // 8


def _tensor(dtype, shape, buffer, keep):
    lengths = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    code, bits = DLPACK[dtype]
    tensor = _Tensor(ctypes.cast(buffer, ctypes.c_void_p), (1, 0), len(shape), code, bits, 1,
                     ctypes.cast(lengths, ctypes.c_void_p), None, 0)
    keep += [lengths, buffer, tensor]
    return _Any(DL_TENSOR, 0, _Value(as_pointer=ctypes.addressof(tensor)))
