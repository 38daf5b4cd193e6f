"""Formats narrower than float32 against torch's conversions, and against exact arithmetic on fractions."""
import bisect
import fractions
import random

import numpy as np
import torch

from kbench_triton.numbers import FORMATS, fused, tf32

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f8E5M2": torch.float8_e5m2, "f8E4M3FN": torch.float8_e4m3fn}


def _patterns(name):
    """All of a format's bits, and their values by torch."""
    format = FORMATS[name]
    bits = np.arange(1 << format.bits).astype(format.stored)
    return format, bits, torch.from_numpy(bits).view(DTYPES[name]).float().numpy()


def _same(a, b):
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def all_bits_are_decoded():
    for name in FORMATS:
        format, bits, values = _patterns(name)
        assert _same(format.decode(bits), values).all(), name


def all_values_are_encoded():
    for name in FORMATS:
        format, bits, values = _patterns(name)
        numbers = ~np.isnan(values)
        assert (format.encode(values)[numbers] == bits[numbers]).all(), name
        assert np.isnan(format.decode(format.encode(values[~numbers]))).all(), name


def _near_every_value(name):
    """Each value, the middle to its neighbour, and the float32 beside each of these."""
    _, _, values = _patterns(name)
    finite = np.unique(values[np.isfinite(values)]).astype(np.float64)
    points = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2]).astype(np.float32)
    return np.concatenate([points, np.nextafter(points, np.float32(np.inf)), np.nextafter(points, np.float32(-np.inf))])


def float32_is_rounded_to_the_nearest_ties_to_even():
    for name in FORMATS:
        points = _near_every_value(name)
        points = points[np.abs(points) <= FORMATS[name].largest]  # beyond, torch and devices differ in 8 bits
        right = torch.from_numpy(points).to(DTYPES[name]).float().numpy()
        assert _same(FORMATS[name].rounded(points), right).all(), name


def beyond_the_largest_8_bits_stay_there():
    for name in ("f8E5M2", "f8E4M3FN"):
        format = FORMATS[name]
        found = format.rounded(np.array([1e6, -1e30, np.inf, -np.inf, np.nan], np.float32))
        assert _same(found, np.array([1, -1, 1, -1, np.nan], np.float32) * format.largest).all(), found


def sixteen_bits_overflow_to_infinity():
    for name in ("f16", "bf16"):
        with np.errstate(over="ignore"):
            found = FORMATS[name].rounded(np.array([3.4e38, -3.4e38, np.inf], np.float32))
        assert (found == [np.inf, -np.inf, np.inf]).all(), found


def truncation_goes_towards_zero():
    for name in FORMATS:
        points = _near_every_value(name)
        points = points[np.abs(points) <= FORMATS[name].largest]
        found = FORMATS[name].rounded(points, np.trunc)
        nearest = FORMATS[name].rounded(points)
        exact = found == points
        assert (np.abs(found) <= np.abs(points)).all(), name
        assert (exact | (found == nearest) | (np.abs(nearest) > np.abs(points))).all(), name


def _nearest(exact, values):
    """Of ascending fractions the one next to an exact value; of two, that of even index."""
    at = bisect.bisect_left(values, exact)
    if at in (0, len(values)):
        return min(at, len(values) - 1)
    below, above = exact - values[at - 1], values[at] - exact
    return at - 1 if below < above or (below == above and (at - 1) % 2 == 0) else at


def _operands(name, count):
    """Random bits, half of them of like exponents, so that sums round."""
    format, bits, values = _patterns(name)
    positive = values[:format.codes]
    draw = random.Random(5)
    pairs = []
    for _ in range(count):
        a = draw.randrange(1, format.codes)
        b = draw.randrange(1, format.codes) if draw.random() < 0.5 else (a + draw.randrange(-600, 600)) % format.codes
        pairs.append((positive[a] * draw.choice((1, -1)), positive[b] * draw.choice((1, -1))))
    return format, positive, np.array(pairs, np.float32).T


def sums_products_and_quotients_are_the_formats_own():
    for name in FORMATS:
        format, positive, (a, b) = _operands(name, 4000)
        values = [fractions.Fraction(float(x)) for x in positive]
        for sign, operation in (("+", lambda x, y: x + y), ("*", lambda x, y: x * y), ("/", lambda x, y: x / y)):
            with np.errstate(all="ignore"):
                found = format.rounded(operation(a, b))
            for i in range(len(a)):
                if b[i] == 0 and sign == "/":
                    continue
                exact = operation(fractions.Fraction(float(a[i])), fractions.Fraction(float(b[i])))
                if abs(exact) <= values[-1]:
                    right = positive[_nearest(abs(exact), values)]
                    assert abs(found[i]) == right, f"{name} {a[i]} {sign} {b[i]} gave {found[i]}, not {right}"


def _middle_products(format):
    """Pairs whose product lies in the middle of two values of the format."""
    first = 1 << format.mantissa
    for a in range(first, 2 * first):
        for b in range(first, 2 * first, 1 if format.mantissa < 8 else 37):
            places = (a * b).bit_length() - format.mantissa - 1
            if a * b % (1 << places) == 1 << places - 1:
                yield a / first, b / first


def a_fused_product_is_rounded_once():
    for name in ("bf16", "f16"):
        format = FORMATS[name]
        values = [fractions.Fraction(float(v)) for v in format.positive]
        tiny = 2.0 ** (-100 if name == "bf16" else -24)
        pairs = list(_middle_products(format))[:300]
        assert len(pairs) > 20, pairs
        for x, y in pairs:
            for c in (tiny, -tiny):
                exact = fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(c)
                right = format.positive[_nearest(exact, values)]
                found = fused(np.float32(x), np.float32(y), np.float32(c), format)
                assert found == right, f"{name} {x} * {y} + {c} gave {found}, not {right}"


def a_fused_product_of_float32_is_rounded_once():
    draw = np.random.default_rng(3)
    a, b, c = draw.standard_normal((3, 4000)).astype(np.float32)
    c[::2] = -a[::2] * b[::2]  # what is left is the rounding of the product
    found = fused(a, b, c)
    for i in range(len(a)):
        exact = fractions.Fraction(float(a[i])) * fractions.Fraction(float(b[i])) + fractions.Fraction(float(c[i]))
        beside = [np.nextafter(found[i], np.float32(way)) for way in (-np.inf, np.inf)]
        error = abs(exact - fractions.Fraction(float(found[i])))
        assert all(error <= abs(exact - fractions.Fraction(float(x))) for x in beside), (a[i], b[i], c[i])


def tensor_cores_read_ten_bits_of_float32():
    values = np.array([1 + 2.0 ** -10, 1 + 2.0 ** -10 + 2.0 ** -11, -(1 + 2.0 ** -11)], np.float32)
    assert (tf32(values) == [1 + 2.0 ** -10, 1 + 2.0 ** -10, -1]).all(), tf32(values)
