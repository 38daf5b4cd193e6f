"""Launches of Triton's kernels without a device: Triton's front end makes TTIR of them, translate.py a Python function.

Triton sees a driver with one device, an H100's, and instead of its compiler the one of this file. Where the candidate
asks for times, all are equal: @triton.autotune takes its first configuration.
"""
import contextlib
import inspect
import os
import random
import sys
import time

import numpy as np
import torch
import triton
import triton.compiler
import triton.testing
from triton._C.libtriton import ir, passes
from triton.compiler.compiler import make_backend
from triton.compiler.errors import CompilationError
from triton.runtime.autotuner import Autotuner
from triton.runtime.driver import driver

from .kernel import CAPABILITY, TARGET, Kernel
from .memory import Memory
from .operations import Combining

SECONDS = 60.0  # limit of a launch's programs
TRIES = 100000  # limit of a loop that waits for another program
FAULT = 86  # exit status: the line on standard error says what it is


class Emulation:
    """What the launches of a process share."""

    def __init__(self, folder, seed=0, seconds=SECONDS):
        self.folder, self.seed, self.seconds = folder, seed, seconds
        self.memory, self.combining = Memory(self.stop), Combining()
        self.kernel, self.pid, self.launches = None, (0, 0, 0), 0
        self.said, self.is_dry = set(), False

    # Messages

    def note(self, text):
        if text not in self.said:
            self.said.add(text)
            print(f"kbench-emulation: NOTE {text}", file=sys.stderr, flush=True)

    def stop(self, kind, text, place=None):
        """The process ends here: nothing that a candidate catches. `place` is the number of a place of the kernel."""
        where = self.kernel.place(place) if self.kernel else ""
        program = f", program ({', '.join(str(int(n)) for n in self.pid)})" if self.kernel else ""
        print(f"kbench-emulation: {kind} {text}{where}{program}", file=sys.stderr, flush=True)
        os._exit(FAULT)

    def is_ours(self, file):
        return file.startswith(self.folder + os.sep)

    # Compilation

    @contextlib.contextmanager
    def compiling_only(self):
        self.is_dry = True
        try:
            yield
        finally:
            self.is_dry = False

    def compile(self, source, target=None, options=None, **_):
        """In the place of triton.compiler.compile."""
        backend = make_backend(target or TARGET)
        options = backend.parse_options(dict(options or {}))
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        known = {"target": target or TARGET, "options": options, "context": context,
                 "codegen_fns": backend.get_codegen_implementation(options), "module_map": backend.get_module_map()}
        try:
            module = source.make_ir(*[known[name] for name in inspect.signature(source.make_ir).parameters])
        except CompilationError as error:
            error.message = self.in_one_line(error, source)
            raise
        return Kernel(self, source, self.simplified(module), options)

    def in_one_line(self, error, source):
        """What Triton's front end says, and where; an error inside a function that is called is the cause of the call's."""
        inner = error
        while isinstance(inner.__cause__, CompilationError):
            inner = inner.__cause__
        text = " ".join((inner.error_message or str(inner.__cause__ or "")).split())
        lines, first = inspect.getsourcelines(source.fn.fn)
        decorators = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
        line = first + decorators + getattr(error.node, "lineno", 1) - 1
        return f"{text}, {os.path.relpath(source.fn.fn.__code__.co_filename, self.folder)}:{line}, kernel {source.name}"

    @staticmethod
    def simplified(module):
        manager = ir.pass_manager(module.context)
        manager.enable_debug()  # keeps locations
        passes.common.add_inliner(manager)
        for name in ("add_rewrite_tensor_pointer", "add_rewrite_tensor_descriptor_to_pointer"):
            if hasattr(passes.ttir, name):
                getattr(passes.ttir, name)(manager)
        passes.common.add_canonicalizer(manager)
        passes.common.add_cse(manager)
        passes.common.add_symbol_dce(manager)
        try:
            manager.run(module, "kbench")
        except TypeError:  # older versions of Triton
            manager.run(module)
        return module.str() if hasattr(module, "str") else str(module)

    # Programs

    def order(self, programs):
        """Ascending, descending or shuffled: the seed of the next call is one more."""
        turn = self.seed % 3
        if turn == 0:
            return range(programs)
        if turn == 1:
            return range(programs - 1, -1, -1)
        numbers = list(range(programs))
        random.Random(self.seed * 1000 + self.launches).shuffle(numbers)
        return numbers

    def run(self, kernel, grid, arguments):
        translation = kernel.translation
        programs = int(np.prod(grid, dtype=np.int64))
        self.kernel = kernel
        self.combining.neighbours_first = self.seed % 2 == 1
        self.memory.begin_launch(programs, not translation.synchronises)
        order = range(programs) if translation.waits else self.order(programs)
        sizes = tuple(np.int32(n) for n in grid)
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            for done, number in enumerate(order):
                self.pid = program_id(number, grid)
                self.memory.begin_program(number)
                kernel.function(self.pid, sizes, *arguments)
                if done in (3, 30, 300):
                    self.check_time(time.perf_counter() - start, done + 1, programs)
        self.launches += 1
        self.kernel = None

    def check_time(self, seconds, done, programs):
        expected = seconds / done * programs
        if expected > self.seconds:
            self.stop("NOT_EMULATED", f"too large to emulate: {programs} programs take about {expected:.0f} s "
                                      f"(limit {self.seconds:.0f} s)")

    def tries(self):
        for _ in range(TRIES):
            yield
        self.stop("NOT_EMULATED", "a program that waits for another one")

    def check(self, condition, message, place):
        if not np.all(condition):
            self.stop("ASSERT", message, place)

    @staticmethod
    def show(pid, prefix, *values):
        for value in values or ("",):
            print(f"pid {tuple(int(n) for n in pid)}{prefix}{value}", file=sys.stderr)


def program_id(number, grid):
    x, rest = number % grid[0], number // grid[0]
    return np.int32(x), np.int32(rest % grid[1]), np.int32(rest // grid[1])


class Driver:
    """The one device. What only a device can do is no attribute of it."""

    class utils:
        @staticmethod
        def get_device_properties(device):
            return {"max_shared_mem": 232448, "multiprocessor_count": 132, "max_num_regs": 65536, "warpSize": 32,
                    "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 5120}

    def __init__(self, benchmark):
        self.benchmark = benchmark

    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_interface(self):
        return torch.cuda

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_device_capability(self, device=None):
        return divmod(CAPABILITY, 10)

    def get_benchmarker(self):
        return self.benchmark

    def get_empty_cache_for_benchmark(self):
        return torch.empty(0)

    def clear_cache(self, cache):
        pass


def install(emulation):
    """From now on Triton's kernels run here."""

    def benchmark(function, *_, quantiles=None, return_mode="mean", **__):
        emulation.note("nothing is timed here: all times that the candidate asks for are equal, and @triton.autotune "
                       "takes the first configuration that compiles")
        with emulation.compiling_only():
            function()
        many = len(quantiles) if quantiles else 1
        return 1.0 if many == 1 and return_mode != "all" else [1.0] * many

    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # else it warns
    driver.set_active(Driver(benchmark))
    triton.compiler.compile = triton.compile = emulation.compile
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = benchmark
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.uint8))
    take_the_first()


def take_the_first():
    """Of an autotuner's configurations no other one is compiled."""
    measured = Autotuner._bench

    def bench(self, *arguments, config, **meta):
        if getattr(self, "found_for", None) is self.nargs:
            return [float("inf")] * 3
        times = measured(self, *arguments, config=config, **meta)
        if times[0] < float("inf"):
            self.found_for = self.nargs
        return times

    Autotuner._bench = bench
