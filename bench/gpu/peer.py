#!/usr/bin/python3
"""One kernel under nvbench, or in a row: peer.py CASE (nvbench OPTIONS… | heat SECONDS).

CASE is a JSON file: the library that bench/gpu/peer.cu became, its symbol, and the arguments of a call as
{"shape": […], "dtype": "float32"} or {"value": 1.0}. Needs cuda-bench for nvbench and nothing for heat.
"""

import ctypes
import json
import math
import os
import pathlib
import sys
import time

INTEGER, FLOAT, TENSOR = 1, 3, 7  # kinds of a tvm-ffi argument
CUDA = 2
DTYPES = {"float32": (2, 32), "bfloat16": (4, 16)}  # code and bits of DLPack


class Tensor(ctypes.Structure):
    """DLTensor of DLPack 1."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Content(ctypes.Union):
    _fields_ = [("integer", ctypes.c_int64), ("number", ctypes.c_double), ("pointer", ctypes.c_void_p)]


class Argument(ctypes.Structure):
    """TVMFFIAny."""

    _fields_ = [("kind", ctypes.c_int32), ("padding", ctypes.c_uint32), ("content", Content)]


class Kernel:
    """A solution, its tensors on the device, and a call."""

    def __init__(self, case):
        if driver := os.environ.get("KBENCH_CUDA_DRIVER"):  # as kbench-worker-cuda is told of another one
            ctypes.CDLL(driver, ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(case["library"])
        self.library.peer_allocate.restype = ctypes.c_void_p
        self.library.peer_allocate.argtypes = [ctypes.c_uint64, ctypes.c_int]
        self.library.peer_use.argtypes = [ctypes.c_void_p]
        self.entry = getattr(self.library, "__tvm_ffi_" + case["symbol"])
        self.tensors = []
        self.arguments = (Argument * len(case["arguments"]))(*map(self.argument, case["arguments"]))
        self.result = Argument()

    def argument(self, given):
        if "value" in given:
            return Argument(FLOAT, 0, Content(number=given["value"]))
        return Argument(TENSOR, 0, Content(pointer=ctypes.addressof(self.tensor(given))))

    def tensor(self, given):
        code, bits = DTYPES[given["dtype"]]
        shape = (ctypes.c_int64 * len(given["shape"]))(*given["shape"])
        memory = self.library.peer_allocate(math.prod(given["shape"]), bits // 8)
        if not memory:
            sys.exit("the device has no memory for the tensors")
        made = Tensor(memory, CUDA, 0, len(shape), code, bits, 1, shape, None, 0)
        self.tensors.append(made)
        return made

    def call(self):
        if self.entry(None, self.arguments, len(self.arguments), ctypes.byref(self.result)):
            raise RuntimeError("the solution refuses the call")

    def wait(self):
        if error := self.library.peer_wait():
            sys.exit(f"error {error} of CUDA")


def heat(kernel, seconds):
    """Calls the kernel for so long; says how often."""
    calls, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(8):
            kernel.call()
        kernel.wait()
        calls += 8
    print(calls)


def under_nvbench(kernel, options):
    from cuda import bench

    def launch(launcher):
        kernel.library.peer_use(launcher.get_stream().addressof())
        kernel.call()

    def kernel_of_kbench(state):
        state.exec(launch)

    bench.register(kernel_of_kbench)
    bench.run_all_benchmarks(["peer", *options])


def main(path, what, *rest):
    kernel = Kernel(json.loads(pathlib.Path(path).read_text()))
    if what == "heat":
        heat(kernel, float(rest[0]))
    else:
        under_nvbench(kernel, rest)


if __name__ == "__main__":
    main(*sys.argv[1:])
