"""What the expressions of expressions.py call: TTIR's operations on numpy's arrays and scalars."""
import numpy as np
import torch

from .numbers import FORMATS, fused, tf32

UNSIGNED = {np.dtype(f"int{bits}"): np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}


def unsigned(value):
    """The same bits, as a number that is not negative."""
    value = np.asarray(value)
    return value.view(np.uint8) if value.dtype == np.bool_ else value.view(UNSIGNED[value.dtype])[()]


def extended(value, kind):
    """Of one bit, true is -1."""
    value = np.asarray(value)
    value = -value.astype(np.int8) if value.dtype == np.bool_ else value
    return value.astype(kind) if kind else value


def truncated(value, kind):
    return (value & 1).astype(kind) if kind is np.bool_ else value.astype(kind)


def to_float(value, kind):
    return np.asarray(value).astype(kind)[()]


def to_integer(value, kind):
    """Towards zero; what is beyond the integers becomes the nearest one, NaN zero. To 8 bits by way of 16."""
    if np.dtype(kind).itemsize == 1:
        return to_integer(value, np.dtype(kind.__name__.replace("8", "16")).type).astype(kind)
    limits = np.iinfo(kind)
    whole = np.trunc(np.asarray(value, np.float64))
    inside = np.clip(np.nan_to_num(whole, nan=0.0), float(limits.min), float(limits.max))
    return np.where(inside >= float(limits.max), limits.max, inside.astype(kind)).astype(kind)


def to_unsigned(value, kind):
    return to_integer(value, UNSIGNED[np.dtype(kind)].type).view(kind)


def divided(a, b):
    """Towards zero. Division by zero gives what nobody may rely on: -1."""
    divisor = np.where(b == 0, 1, b).astype(np.asarray(b).dtype)
    quotient = (a - np.fmod(a, divisor)) // divisor
    return np.where(b == 0, np.asarray(-1).astype(quotient.dtype), quotient)


def remainder(a, b):
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, 1, b).astype(np.asarray(b).dtype)))


def shift_left(a, b):
    width = np.asarray(a).dtype.itemsize * 8
    return np.where(unsigned(b) < width, a << (b & (width - 1)), np.asarray(a).dtype.type(0))


def shift_right(a, b):
    width = np.asarray(a).dtype.itemsize * 8
    beyond = np.where(a < 0, np.asarray(-1).astype(np.asarray(a).dtype), 0).astype(np.asarray(a).dtype)
    return np.where((0 <= b) & (b < width), a >> (b & (width - 1)), beyond)


def high_product(a, b):
    """The upper half of an unsigned product."""
    kind = np.asarray(a).dtype
    bits = kind.itemsize * 8
    if bits < 64:
        product = unsigned(a).astype(np.uint64) * unsigned(b).astype(np.uint64)
        return (product >> np.uint64(bits)).astype(UNSIGNED[kind]).view(kind)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b = unsigned(a), unsigned(b)
    middle = (a >> half) * (b & low) + ((a & low) * (b & low) >> half)
    other = (a & low) * (b >> half) + (middle & low)
    return ((a >> half) * (b >> half) + (middle >> half) + (other >> half)).view(kind)


def bitcast(value, source, target):
    if source in FORMATS:
        value = FORMATS[source].encode(value)
    value = np.ascontiguousarray(value).reshape(np.shape(value))
    if target in FORMATS:
        return FORMATS[target].decode(value.view(FORMATS[target].stored))
    return value.view(STORED[target])[()]


STORED = {"i1": np.dtype(np.bool_), "i8": np.dtype(np.int8), "i16": np.dtype(np.int16), "i32": np.dtype(np.int32),
          "i64": np.dtype(np.int64), "ptr": np.dtype(np.int64), "f32": np.dtype(np.float32),
          "f64": np.dtype(np.float64), **{name: format.stored for name, format in FORMATS.items()}}


def steps(first, last, step, kind, is_unsigned):
    """A loop's indices."""
    if is_unsigned:
        first, last = unsigned(first), unsigned(last)
    return map(kind, range(int(first), int(last), int(step)))


def forever():
    while True:
        yield


def by_torch(name):
    """A function of torch: numpy has none of that name."""
    function = getattr(torch, name)
    return lambda value: function(torch.from_numpy(np.array(value))).numpy()


def away_from_zero(value):
    return np.copysign(np.floor(np.abs(value) + 0.5), value)


erf = by_torch("erf")

# libdevice's names without the letter of the type
DEVICE_FUNCTIONS = {
    "abs": np.abs, "fabs": np.abs, "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil,
    "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh, "cospi": lambda x: np.cos(np.pi * x), "div_rn": np.divide,
    "erf": erf, "erfc": by_torch("erfc"), "erfinv": by_torch("erfinv"), "exp": np.exp, "exp10": lambda x: 10.0 ** x,
    "exp2": np.exp2, "expm1": np.expm1, "fast_cos": np.cos, "fast_exp": np.exp, "fast_log": np.log,
    "fast_log2": np.log2, "fast_pow": np.power, "fast_sin": np.sin, "fast_tanh": np.tanh, "fast_divide": np.divide,
    "finite": np.isfinite, "floor": np.floor, "fmod": np.fmod, "hypot": np.hypot, "isinf": np.isinf,
    "isnan": np.isnan, "lgamma": by_torch("lgamma"), "log": np.log, "log10": np.log10, "log1p": np.log1p,
    "log2": np.log2, "mul_rn": np.multiply, "add_rn": np.add, "pow": np.power, "powi": np.power,
    "rcbrt": lambda x: 1 / np.cbrt(x), "rint": np.rint, "nearbyint": np.rint, "round": away_from_zero,
    "rsqrt": lambda x: 1 / np.sqrt(x), "rsqrt_rn": lambda x: 1 / np.sqrt(x), "signbit": np.signbit, "sin": np.sin,
    "sinh": np.sinh, "sinpi": lambda x: np.sin(np.pi * x), "sqrt": np.sqrt, "sqrt_rn": np.sqrt, "tan": np.tan,
    "tanh": np.tanh, "tgamma": lambda x: np.exp(by_torch("lgamma")(x)), "trunc": np.trunc,
    "fma": lambda a, b, c: fused(a, b, c) if np.asarray(a).dtype == np.float32 else a * b + c,
    "fmax": np.fmax, "fmin": np.fmin, "max": np.maximum, "min": np.minimum,
}


def device_function(name, kind, *operands):
    return np.asarray(DEVICE_FUNCTIONS[name](*operands)).astype(kind)[()]


class Combining:
    """Reductions and scans. A tree, and which elements meet first is one of two ways: devices have others."""

    def __init__(self):
        self.neighbours_first = False

    def reduce(self, combine, axis, operands, _):
        operands = [np.moveaxis(np.asarray(x), axis, -1) for x in operands]
        while operands[0].shape[-1] > 1:
            half = operands[0].shape[-1] // 2
            if self.neighbours_first:
                halves = [x[..., 0::2] for x in operands] + [x[..., 1::2] for x in operands]
            else:
                halves = [x[..., :half] for x in operands] + [x[..., half:] for x in operands]
            operands = [np.asarray(x) for x in combine(*halves)]
        return [x[..., 0] for x in operands]

    def scan(self, combine, axis, operands, reverse):
        operands = [np.moveaxis(np.asarray(x), axis, -1) for x in operands]
        operands = [x[..., ::-1] for x in operands] if reverse else operands
        results = self.prefixes(combine, operands)
        results = [x[..., ::-1] for x in results] if reverse else results
        return [np.moveaxis(x, -1, axis) for x in results]

    def prefixes(self, combine, operands):
        if operands[0].shape[-1] == 1:
            return operands
        first, second = [x[..., 0::2] for x in operands], [x[..., 1::2] for x in operands]
        ends = self.prefixes(combine, [np.asarray(x) for x in combine(*first, *second)])
        before = combine(*[x[..., :-1] for x in ends], *[x[..., 1:] for x in first])
        results = [np.empty(x.shape, x.dtype) for x in operands]
        for result, start, end, middle in zip(results, first, ends, before):
            result[..., 1::2] = end
            result[..., 0] = start[..., 0]
            result[..., 2::2] = middle
        return results


def dot(a, b, c, precision, element, out):
    """The product of two matrices on tensor cores, added to c. Products are exact, sums in float32 (float16 where the
    result is: rounded after each 16 products)."""
    if element == "i8":
        return c + (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64).astype(c.dtype)
    if out == "f16":
        for k in range(0, a.shape[-1], 16):
            c = FORMATS["f16"].rounded(c + a[..., k:k + 16] @ b[..., k:k + 16, :])
        return c
    if element != "f32" or precision == "ieee":
        return c + a @ b
    if precision == "tf32":
        return c + tf32(a) @ tf32(b)
    parts = int(precision[-1]) // 3 + 1 if precision.startswith("bf16") else 2
    return c + sum(x @ y for x, y in small_products(split(a, precision, parts), split(b, precision, parts)))


def split(value, precision, parts):
    """A float32 as the sum of narrower numbers, the largest first."""
    narrow = FORMATS["bf16"].rounded if precision.startswith("bf16") else tf32
    found = []
    for _ in range(parts):
        found.append(narrow(value))
        value = value - found[-1]
    return found


def small_products(a, b):
    """Those of which the parts' places are together less than the number of parts, the smallest first."""
    pairs = [(i + j, x, y) for i, x in enumerate(a) for j, y in enumerate(b) if i + j < len(a)]
    return [(x, y) for _, x, y in sorted(pairs, key=lambda pair: -pair[0])]


def histogram(values, mask=None, bins=0):
    inside = (values >= 0) & (values < bins)
    inside = inside & mask if mask is not None else inside
    return np.bincount(values[inside], minlength=bins).astype(np.int32)


def namespace():
    """The names that a translated kernel uses."""
    names = {name: getattr(np, name) for name in (
        "abs arange bool_ broadcast_to ceil concatenate cos exp exp2 expand_dims float32 float64 floor fmax fmin fmod "
        "int8 int16 int32 int64 log log2 maximum minimum sin sqrt stack take_along_axis tanh trunc where "
        "zeros").split()}
    for function in (unsigned, extended, truncated, to_float, to_integer, to_unsigned, divided, remainder, shift_left,
                     shift_right, high_product, bitcast, steps, forever, device_function, dot, histogram):
        names[function.__name__] = function
    for name, format in FORMATS.items():
        names["round_" + name] = format.rounded
        names["fused_" + name] = lambda a, b, c, format=format: fused(a, b, c, format)
    names["erf"], names["fused_f32"] = erf, fused
    names["fused_f64"] = lambda a, b, c: a * b + c
    return names
