"""What Triton's compiler gives: here a kernel whose TTIR is a Python function."""
import os
import types

import numpy as np
import torch
from triton.backends.compiler import GPUTarget

from .elements import ELEMENTS, NotEmulated
from .ir_text import Reader
from .numbers import FORMATS, twice_safe
from .operations import namespace
from .translate import Translation, python_name

CAPABILITY = 90
TARGET = GPUTarget("cuda", CAPABILITY, 32)


class Kernel:
    """What triton.compiler.compile gives: a kernel that can be launched, and what is asked about one."""

    def __init__(self, emulation, source, text, options):
        self.emulation, self.source, self.name = emulation, source, source.name
        self.reader = Reader(text)
        try:
            self.translation = Translation(self.reader)
        except NotEmulated as unknown:
            emulation.stop("NOT_EMULATED", f"{unknown.what}{self.where(unknown.place)}")
        self.metadata = types.SimpleNamespace(**options.__dict__, shared=0, name=self.name, target=TARGET)
        self.hash, self.asm, self.n_regs, self.n_spills = source.hash(), {"ttir": text}, 32, 0
        self.packed_metadata = self.module = None
        self.function = self.loaded()

    def loaded(self):
        names = namespace() | self.translation.constants
        emulation = self.emulation
        names |= {"load": emulation.memory.load, "store": emulation.memory.store, "atomic": emulation.memory.atomic,
                  "reduce": emulation.combining.reduce, "scan": emulation.combining.scan, "tries": emulation.tries,
                  "check": emulation.check, "show": emulation.show, "narrowed": narrowed}
        exec(compile(self.translation.text, f"<{self.name}>", "exec"), names)
        entry = next(name for name in self.reader.functions)
        return names[python_name(entry)]

    def where(self, place):
        file, line = self.reader.line_of(place, self.emulation.is_ours)
        at = f", {os.path.relpath(file, self.emulation.folder)}:{line}" if file else ""
        return f"{at}, kernel {self.name}"

    def place(self, number):
        return self.where("" if number is None else self.translation.places[number])

    # Functions that Triton calls

    def launch_metadata(self, *_):
        return None

    def _init_handles(self):
        pass

    def __getitem__(self, grid):
        return lambda *arguments, stream=None: self.launch(grid, arguments)

    def run(self, x, y, z, stream, function, packed, metadata, enter, leave, *arguments):
        self.launch((x, y, z), arguments)

    def launch(self, grid, arguments):
        grid = tuple(int(n) for n in grid) + (1,) * (3 - len(grid))
        if min(grid) < 0 or grid[0] >= 1 << 31 or max(grid[1:]) >= 1 << 16:
            raise RuntimeError("Triton Error [CUDA]: invalid argument")
        if min(grid) == 0 or self.emulation.is_dry:
            return
        self.emulation.run(self, grid, self.values(arguments))

    def values(self, arguments):
        """Of the kernel's arguments, those that are no constants, as the translated function has them."""
        kinds = list(self.source.signature.items())
        found = []
        for (name, kind), argument in zip(kinds, arguments):
            self.add(found, name, kind, argument)
        types = [kind for _, kind in next(iter(self.reader.functions.values())).arguments]
        return [typed(value, kind) for value, kind in zip(found, types)]

    def add(self, found, name, kind, argument):
        if kind == "constexpr":
            return
        if isinstance(argument, (tuple, list)):
            for one, (part, of) in enumerate(zip(argument, kind)):
                self.add(found, f"{name}[{one}]", of, part)
        elif isinstance(kind, str) and kind.startswith("tensordesc"):
            self.add_descriptor(found, name, argument)
        elif isinstance(getattr(argument, "base", argument), torch.Tensor):
            found.append(self.emulation.memory.address(getattr(argument, "base", argument), name))
        elif hasattr(argument, "data_ptr"):
            found.append(argument.data_ptr())  # a class of the candidate's, which asked a tensor
        else:
            found.append(0 if argument is None else argument)

    def add_descriptor(self, found, name, descriptor):
        """In the order in which Triton takes a tensor's descriptor apart."""
        sizes = [*descriptor.shape, *descriptor.strides]
        flags = [getattr(descriptor, flag) in (True, "nan") for flag in ("padding", "round_f32_to_tf32")
                 if hasattr(descriptor, flag)]  # all that the version of Triton has
        found += [self.emulation.memory.address(descriptor.base, name), *sizes, *flags, *sizes]


def typed(value, kind):
    if kind.element in FORMATS:
        return FORMATS[kind.element].rounded(np.float32(value))
    return np.asarray(value).astype(ELEMENTS[kind.element])[()]


def narrowed(value):
    return twice_safe(np.asarray(value, np.float64))
