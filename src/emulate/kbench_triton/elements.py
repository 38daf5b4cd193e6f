"""Elements of TTIR's types as numpy has them."""
import numpy as np

from .numbers import FORMATS


class NotEmulated(Exception):
    """An operation, or a form of it, that is not known here."""

    def __init__(self, what, place):
        super().__init__(what)
        self.what, self.place = what, place


ELEMENTS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
            "f32": np.float32, "f64": np.float64, "ptr": np.int64, **{name: np.float32 for name in FORMATS}}


def numpy_type(kind, operation):
    if kind.element not in ELEMENTS:
        raise NotEmulated(f"{operation.name} of {kind.element}", operation.place)
    return ELEMENTS[kind.element]


def number(text, element):
    """A literal of MLIR: true, -3, 1.0e+00, or the bits of a float as 0x7FC0."""
    if text in ("true", "false"):
        return np.bool_(text == "true")
    if element.startswith(("f", "bf")) and text.startswith("0x"):
        bits = int(text, 16)
        if element in FORMATS:
            format = FORMATS[element]
            return format.decode(np.array([bits], format.stored))[0]
        return np.array([bits], "uint32" if element == "f32" else "uint64").view(ELEMENTS[element])[0]
    if element.startswith(("f", "bf")):
        return ELEMENTS[element](float(text))
    return np.array(int(text, 0)).astype(ELEMENTS[element])[()]
