"""The memory that kernels see: storages of torch tensors (region.py).

An address is an index into an array of numpy's: there is no access that the machine would make. Each access is checked
for bounds, alignment, bytes that nobody wrote, and elements that two programs of one launch use without atomics.
"""
import numpy as np
import torch

from .numbers import FORMATS
from .operations import STORED
from .region import APART, Region

class Memory:
    """All regions, and the launch that uses them. `stop(kind, text, place)` ends the process."""

    def __init__(self, stop):
        self.stop, self.regions, self.by_storage = stop, [], {}
        self.program = self.first_program = self.many = self.next_program = 0
        self.checks_programs = True

    # Regions

    def region(self, tensor, name="", is_lasting=False):
        """`name`: of the Definition, which lasts, or that of a launch."""
        with torch._C.DisableTorchFunction():
            return self.region_of(tensor, name, is_lasting)

    def region_of(self, tensor, name, is_lasting):
        key = tensor.untyped_storage().data_ptr()
        found = self.by_storage.get(key)
        if found is None or found.size != tensor.untyped_storage().nbytes():
            found = Region(len(self.regions), tensor)
            self.regions.append(found)
            self.by_storage[key] = found
        if name and not found.is_named:
            found.name, found.is_named = name, is_lasting
        return found

    def address(self, tensor, name=""):
        region = self.region(tensor, name)
        with torch._C.DisableTorchFunction():
            return region.begin + tensor.storage_offset() * tensor.element_size()

    def forget(self):
        """At the end of a call of the candidate: storages may be freed."""
        self.regions, self.by_storage = [], {}

    # Launches

    def begin_launch(self, programs, checks_programs):
        self.first_program = self.next_program
        self.many = self.first_program + programs  # number that stands for several programs of this launch
        self.next_program = self.many + 1
        self.checks_programs = checks_programs

    def begin_program(self, number):
        self.program = self.first_program + number

    # Accesses

    def load(self, address, mask, other, element, place):
        kind = STORED[element]
        fill = np.asarray(0 if other is None else other)
        shape = np.shape(address)
        address, mask, _ = flat(address, mask)
        values = np.zeros(address.size, kind)
        for region, index, chosen in self.pieces(address, mask, kind, place, "load"):
            self.check_written(region, index, kind, place)
            self.note_load(region, index, kind, place)
            values[chosen] = region.typed(kind)[index]
        values = FORMATS[element].decode(values) if element in FORMATS else values
        if mask is not None and not mask.all():
            values = np.where(mask, values, np.broadcast_to(fill, shape).reshape(-1).astype(values.dtype))
        return values.reshape(shape)[()]

    def store(self, address, value, mask, element, place):
        kind = STORED[element]
        value = FORMATS[element].encode(value) if element in FORMATS else np.asarray(value)
        value = np.broadcast_to(value, np.shape(address)).reshape(-1)
        address, mask, _ = flat(address, mask)
        for region, index, chosen in self.pieces(address, mask, kind, place, "store"):
            self.check_writable(region, place)
            stored = value[chosen].astype(kind, copy=False)
            self.note_store(region, index, stored, kind, place)
            self.write(region, index, stored, kind)
            if index.size > 1 and differ(region.typed(kind)[index], stored).any():
                self.stop("RACE", f"two elements of one block with different values go to one element of {region.name}",
                          place)

    def atomic(self, how, address, value, second, element, place):
        """Of compare-and-swap, `value` is what is expected and `second` what is stored; else `second` is the mask."""
        kind = STORED[element]
        shape = np.shape(address)
        extra = second if how == "cas" else None
        address, mask, _ = flat(address, None if how == "cas" else second)
        value = np.broadcast_to(value, shape).reshape(-1)
        extra = np.broadcast_to(extra, shape).reshape(-1) if how == "cas" else None
        old = np.zeros(address.size, np.asarray(value).dtype)
        for region, index, chosen in self.pieces(address, mask, kind, place, "atomic access"):
            self.check_writable(region, place)
            self.check_written(region, index, kind, place)
            self.note_atomic(region, index, kind)
            spare = extra[chosen] if how == "cas" else None
            old[chosen] = self.exchange(region, index, value[chosen], spare, how, element)
        return old.reshape(shape)[()]

    def exchange(self, region, index, value, extra, how, element):
        """Old values; elements that come twice one after the other."""
        kind, format = STORED[element], FORMATS.get(element)
        old = np.empty(index.size, value.dtype)
        typed = region.typed(kind)
        rounds = [slice(None)] if np.unique(index).size == index.size else range(index.size)
        for part in rounds:
            at = index[part]
            before = format.decode(typed[at]) if format else typed[at]
            after = ATOMICS[how](before, value[part], None if extra is None else extra[part])
            after = format.encode(format.rounded(after)) if format else after
            old[part] = before
            self.write(region, at, np.asarray(after).astype(kind), kind)
        return old

    def write(self, region, index, values, kind):
        region.typed(kind)[index] = values
        if region.written is not None:
            size = kind.itemsize
            region.written[:region.size // size * size].reshape(-1, size)[index] = True

    # Checks

    def pieces(self, address, mask, kind, place, verb):
        """(region, indices of elements of `kind`, which of the addresses): each access belongs to one region."""
        chosen = np.arange(address.size) if mask is None else np.flatnonzero(mask)
        active = address if mask is None else address[chosen]
        if active.size == 0:
            return
        numbers = active // APART - 1
        for number in [int(numbers[0])] if (numbers == numbers[0]).all() else np.unique(numbers):
            here = numbers == number
            region = self.regions[number] if 0 <= number < len(self.regions) else None
            if region is None:
                self.stop_outside(active[here][0], verb, place)
            offset = active[here] - region.begin
            self.check_bounds(region, offset, kind, place, verb)
            yield region, offset // kind.itemsize, chosen[here]

    def stop_outside(self, address, verb, place):
        near = int(address + APART // 2) // APART - 1
        region = self.regions[near] if 0 <= near < len(self.regions) else None
        if region is None:
            self.stop("OUT_OF_BOUNDS", f"{verb} at address {int(address):#x}, where no tensor is", place)
        self.stop_at(region, int(address) - region.begin, verb, place)

    def stop_at(self, region, offset, verb, place):
        side = f"{-offset} bytes before" if offset < 0 else f"{offset - region.size} bytes beyond the end of"
        self.stop("OUT_OF_BOUNDS", f"{verb} {side} {region.name}, which has {region.size} bytes", place)

    def check_bounds(self, region, offset, kind, place, verb):
        low, high = int(offset.min()), int(offset.max())
        if low < 0 or high + kind.itemsize > region.size:
            self.stop_at(region, low if low < 0 else high, verb, place)
        if kind.itemsize > 1 and (offset % kind.itemsize).any():
            self.stop("MISALIGNED", f"{verb} of {kind.itemsize} bytes at byte {int(offset[0])} of {region.name}", place)

    def check_writable(self, region, place):
        if not region.is_writable:
            self.stop("READ_ONLY", f"store to {region.name}, which may only be read", place)

    def check_written(self, region, index, kind, place):
        unwritten = region.is_unwritten(index, kind)
        if unwritten is not None and unwritten.any():
            at = int(index[unwritten][0])
            self.stop("UNINITIALISED", f"load of element {at} of {region.name}, which nobody wrote", place)

    def units(self, region, index, kind):
        if region.writers is None or kind.itemsize < region.grain:
            region.forget_programs(min(kind.itemsize, region.grain))
        return index * (kind.itemsize // region.grain)

    def others(self, serials):
        """Which are of another program of this launch."""
        return (serials >= self.first_program) & (serials != self.program)

    def note_load(self, region, index, kind, place):
        if not self.checks_programs:
            return
        unit = self.units(region, index, kind)
        writers = self.others(region.writers[unit])
        if writers.any():
            self.stop("RACE", f"a program loads element {int(index[writers][0])} of {region.name}, which "
                              "another program of the launch stores", place)
        region.readers[unit] = np.where(self.others(region.readers[unit]), self.many, self.program)

    def note_store(self, region, index, values, kind, place):
        if not self.checks_programs:
            return
        unit = self.units(region, index, kind)
        changed = differ(region.typed(kind)[index], values)
        readers = self.others(region.readers[unit]) & changed
        if readers.any():
            self.stop("RACE", f"a program stores element {int(index[readers][0])} of {region.name}, which "
                              "another program of the launch loads", place)
        writers = self.others(region.writers[unit]) & changed
        if writers.any():
            self.stop("RACE", f"two programs of the launch store different values to element "
                              f"{int(index[writers][0])} of {region.name}", place)
        region.writers[unit] = self.program

    def note_atomic(self, region, index, kind):
        if self.checks_programs:
            unit = self.units(region, index, kind)
            region.writers[unit] = np.where(self.others(region.writers[unit]), self.many, self.program)


def flat(address, mask):
    shape = np.shape(address)
    address = np.asarray(address, np.int64).reshape(-1)
    return address, None if mask is None else np.broadcast_to(mask, shape).reshape(-1), shape


def differ(a, b):
    """Which elements have other bits."""
    bits = np.dtype(f"uint{a.dtype.itemsize * 8}")
    return a.view(bits) != np.ascontiguousarray(b).view(bits)


def as_unsigned(function):
    def call(a, b, _):
        kind = np.dtype(f"uint{np.asarray(a).dtype.itemsize * 8}")
        return function(np.asarray(a).view(kind), np.asarray(b).view(kind)).view(np.asarray(a).dtype)
    return call


ATOMICS = {
    "fadd": lambda old, value, _: old + value, "add": lambda old, value, _: old + value,
    "max": lambda old, value, _: np.maximum(old, value), "min": lambda old, value, _: np.minimum(old, value),
    "umax": as_unsigned(np.maximum), "umin": as_unsigned(np.minimum), "and": lambda old, value, _: old & value,
    "or": lambda old, value, _: old | value, "xor": lambda old, value, _: old ^ value,
    "exch": lambda old, value, _: value, "cas": lambda old, expected, value: np.where(old == expected, value, old),
}
