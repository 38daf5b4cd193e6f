"""Floating point narrower than float32, held as the float32 values that it represents.

Each format has decode (stored bits to values), encode (values that it represents to bits) and rounded (float32 to the
nearest value, ties to even). Sums, products, quotients and square roots of two values, computed in float32 and then
rounded, are those of the format itself: float32 has more than twice its digits (and the fused operation, which needs
more, is fused() below).
"""
import numpy as np


class Format:
    """An interchange format: a sign, `exponent` bits, `mantissa` bits."""

    def __init__(self, name, exponent, mantissa, has_infinity=True):
        self.name, self.mantissa, self.has_infinity = name, mantissa, has_infinity
        self.bias = (1 << exponent - 1) - 1
        self.bits = 1 + exponent + mantissa
        self.stored = np.dtype(f"uint{self.bits}")
        self.table = self.values(exponent)
        positive = self.table[:1 << self.bits - 1]
        self.codes = int(np.isfinite(positive).sum())  # number of finite values that are not negative; they ascend
        self.largest = positive[self.codes - 1]
        self.positive = positive[:self.codes]
        self.nan = np.flatnonzero(np.isnan(self.table))[0]

    def values(self, exponent):
        """What each pattern of bits represents."""
        codes = np.arange(1 << self.bits, dtype=np.int64)
        power = codes >> self.mantissa & (1 << exponent) - 1
        fraction = codes & (1 << self.mantissa) - 1
        significand = np.where(power > 0, fraction + (1 << self.mantissa), fraction)
        values = np.ldexp(significand.astype(float), np.maximum(power, 1) - self.bias - self.mantissa)
        ones = power == (1 << exponent) - 1
        if self.has_infinity:
            values[ones] = np.where(fraction[ones] == 0, np.inf, np.nan)
        else:
            values[ones & (fraction == (1 << self.mantissa) - 1)] = np.nan
        return np.where(codes >> self.bits - 1 == 1, -values, values).astype(np.float32)

    def decode(self, bits):
        return self.table[bits]

    def encode(self, values):
        """The bits of values that the format represents."""
        values = np.asarray(values, np.float32)
        codes = np.searchsorted(self.positive, np.abs(values)).astype(self.stored)
        codes = np.where(np.isinf(values), self.stored.type(self.codes), codes)
        codes |= np.signbit(values).astype(self.stored) << self.stored.type(self.bits - 1)
        return np.where(np.isnan(values), self.stored.type(self.nan), codes)

    def rounded(self, values, rounding=np.rint):
        """What lies beyond the largest value becomes it, as the device's conversions to 8 bits do."""
        values = np.asarray(values, np.float32).astype(np.float64)
        power = np.maximum(np.frexp(values)[1] - 1, 1 - self.bias) - self.mantissa
        nearest = np.ldexp(rounding(np.ldexp(values, -power)), power)
        return np.clip(nearest, -self.largest, self.largest).astype(np.float32)


class Half(Format):
    """IEEE's binary16, which numpy has."""

    def decode(self, bits):
        return bits.view(np.float16).astype(np.float32)

    def encode(self, values):
        return np.asarray(values, np.float16).view(np.uint16)

    def rounded(self, values, rounding=np.rint):
        near = np.asarray(values, np.float16)
        if rounding is np.trunc:
            beyond = np.abs(near.astype(np.float32)) > np.abs(values)
            near = np.where(beyond, np.nextafter(near, np.float16(0)), near)
        return near.astype(np.float32)


class Brain(Format):
    """bfloat16: the upper half of a float32."""

    def decode(self, bits):
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)

    def encode(self, values):
        return (np.asarray(values, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)

    def rounded(self, values, rounding=np.rint):
        values = np.asarray(values, np.float32)
        bits = values.view(np.uint32)
        if rounding is np.rint:
            bits = bits + (np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)))
        near = (bits & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isnan(values), np.float32(np.nan), near)


FORMATS = {format.name: format for format in (
    Half("f16", 5, 10), Brain("bf16", 8, 7), Format("f8E5M2", 5, 2), Format("f8E4M3FN", 4, 3, has_infinity=False))}


def tf32(values):
    """What tensor cores read of a float32."""
    return (np.ascontiguousarray(values).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def fused(a, b, c, format=None):
    """a * b + c, rounded once. Of float32, and of narrower formats as values of `format`."""
    product = np.multiply(a, b, dtype=np.float64)  # exact
    total = product + c
    # The rounding error of the sum: where there is one, the last bit is made odd, so that the next rounding sees it.
    back = total - product
    error = product - (total - back) + (np.asarray(c, np.float64) - back)
    bits = np.asarray(total).view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    odd = np.where(inexact, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total)
    return format.rounded(twice_safe(odd)) if format else odd.astype(np.float32)


def twice_safe(values):
    """float64 to float32, so that a further rounding to fewer than 23 digits is that of the float64: to odd."""
    near = values.astype(np.float32)
    bits = near.view(np.int32)
    inexact = np.isfinite(near) & (near != values) & (bits & 1 == 0)
    towards = np.where(values > near, np.float32(np.inf), np.float32(-np.inf))
    return np.where(inexact, np.nextafter(near, towards), near)
