"""A storage of torch's, at an address of its own: a multiple of 2^40, so that no offset beyond it meets another one."""
import numpy as np
import torch

APART = 1 << 40
NOBODY, POISON = -1, 0xFF


class Region:
    """A storage. `writers` and `readers`: the serial number of the program that last stored or loaded a unit."""

    def __init__(self, number, tensor):
        storage = tensor.untyped_storage()
        self.name, self.is_named, self.storage, self.size = "a tensor", False, storage, storage.nbytes()
        self.begin = (number + 1) * APART + storage.data_ptr() % 512
        self.bytes = bytes_of(storage)
        self.written, self.owner, self.version, self.is_writable = None, None, 0, True
        self.is_poisoned = False
        self.grain = tensor.element_size()
        self.writers = self.readers = None

    def forget_programs(self, grain):
        self.grain = grain
        self.writers = np.full(self.size // grain + 1, NOBODY, np.int64)
        self.readers = self.writers.copy()

    def poison(self, tensor):
        """Nobody wrote it, and its bytes say so: NaN, or -1."""
        self.expect_writes(tensor)
        self.is_poisoned = tensor.dtype is not torch.bool
        if self.is_poisoned:
            self.bytes[:] = POISON

    def expect_writes(self, tensor):
        """Nobody wrote it yet. What torch writes later counts for all of it."""
        self.owner, self.version = tensor, version_of(tensor)
        self.written = np.zeros(self.size, np.bool_)

    def forget_if_torch_wrote(self):
        if self.written is not None and version_of(self.owner) != self.version:
            self.written = self.owner = None

    def is_unwritten(self, index, kind):
        self.forget_if_torch_wrote()
        return None if self.written is None else self.unwritten(index * kind.itemsize)

    def never_written(self, begin, end):
        """How many of these bytes."""
        self.forget_if_torch_wrote()
        return 0 if self.written is None else int(self.unwritten(slice(begin, end)).sum())

    def unwritten(self, bytes):
        """Poison that is gone was written by ways that are not seen here."""
        return ~self.written[bytes] & (self.bytes[bytes] == POISON if self.is_poisoned else True)

    def typed(self, kind):
        return self.bytes[:self.size // kind.itemsize * kind.itemsize].view(kind)


def bytes_of(storage):
    flat = torch.empty(0, dtype=torch.uint8)
    flat.set_(storage, 0, (storage.nbytes(),), (1,))
    return flat.numpy()


def version_of(tensor):
    return 0 if tensor.is_inference() else tensor._version
