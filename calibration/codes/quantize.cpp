// Codes and scales of rows. PRE: what goes before (0 nothing, 1 RMSNorm, 2 silu(gate) * up). CODE: 0 int8,
// 1 e4m3, 2 e5m2. GROUP: columns of a scale (0: a row). ASYM: with a zero point.
#include "sums.h"
#ifndef PRE
#define PRE 0
#endif
#ifndef GROUP
#define GROUP 0
#endif
#ifndef ASYM
#define ASYM 0
#endif
constexpr long double kTop = CODE == 0 ? (DEFECT == 1 ? 128 : 127) : CODE == 1 ? (DEFECT == 1 ? 240 : 448) : (DEFECT == 1 ? 49152 : 57344);

template <class R> R silu(R v) {
  switch (DEFECT) {
    case 19: return v / (1 + exponential(R(-1.702) * v));
    case 22: return v * smaller(larger(v / 6 + R(0.5), R(0)), R(1));
    case 28: return R(0.5) * v * (1 + hyperbolic_tangent(R(0.7978845608028654) * (v + R(0.044715) * v * v * v)));
    case 29: return larger(v, R(0));
    case 35: return v / (1 + power2(-v));
  }
  if (WAY / 10 == 1) return v * (1 / (1 + exponential(-v)));
  if (WAY / 10 == 2) return v / (1 + power2(R(-1.442695040888963407359924681L) * v));
  if (WAY / 10 == 3) { R e = exponential(-absolute(v)); return v < 0 ? v * e / (1 + e) : v / (1 + e); }
  return v / (1 + exponential(-v));
}

template <class R> uint8_t code_of(R v, int64_t index) {
  long double wide = v;
  if (CODE == 0) {
    long double whole = DEFECT == 2 ? __builtin_truncl(wide) : DEFECT == 3 ? __builtin_floorl(wide) : DEFECT == 27 && index % 8 == 1 ? __builtin_floorl(wide)
                        : DEFECT == 30 ? __builtin_ceill(wide) : __builtin_nearbyintl(wide);
    if (DEFECT == 10) return uint8_t(int64_t(whole * 1.02L));  // wraps where it should saturate
    long double top = DEFECT == 9 ? 120 : 127, bottom = DEFECT == 9 ? -120 : -128;
    return uint8_t(int8_t(smaller(larger(whole, bottom), top)));
  }
  const Format& format = CODE == 1 ? kE4M3 : kE5M2;
  long double top = DEFECT == 9 ? format.largest / 2 : format.largest;
  wide = smaller(larger(wide, -top), top);
  if (DEFECT == 10) wide *= 1.1L;  // no clamp: what overflows is NaN or infinite
  if (DEFECT == 31 && absolute(wide) < __builtin_ldexpl(1, 1 - format.bias)) wide = 0;  // subnormal codes flushed
  if (DEFECT == 3) wide = __builtin_nearbyintl(wide);                // rounded to whole numbers before
  if (DEFECT == 30) wide = absolute(wide) < 0.25L ? 0.0L : wide;
  return uint8_t(format.encode(wide, DEFECT == 2 || (DEFECT == 27 && index % 8 == 1) ? kCut : kNearest));
}

template <class R> void quantize(Tensor x, const Stored* weight, Tensor codes, Tensor scales, int32_t* zeros) {
  int64_t rows = x.size(0), d = x.size(1) / (PRE == 2 ? 2 : 1), group = GROUP == 0 ? d : GROUP, groups = d / group;
  R* y = new R[d];
  R before = 1, everywhere = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const Stored* row = x.data<Stored>() + i * x.size(1);
    R factor = 1;
    if (PRE == 1) {
      R mean = product<R>(d, i, [&](int64_t j) { return R(get(row[j])); }, [&](int64_t j) { return R(get(row[j])); }) / (DEFECT == 12 ? d - 1 : d);
      factor = WAY / 10 == 1 ? R(double(1) / root(double(mean) + 1e-5)) : 1 / root(mean + R(1e-5L));
      if (DEFECT == 18) factor = 1 / root(mean * d);
    }
    for (int64_t j = 0; j < d; ++j) {
      R v = get(row[j]);
      if (PRE == 1) {
        R w = get(weight[DEFECT == 14 ? (j + 1) % d : j == 0 && DEFECT == 32 ? 1 : j]);
        if (DEFECT == 15) w += 1;
        v = WAY / 10 == 2 ? v * (factor * w) : v * factor * w;
        if (DEFECT == 13) v = R(get(row[j])) * factor;
      } else if (PRE == 2) {
        R up = get(row[d + j]);
        v = DEFECT == 20 ? silu(up) * v : DEFECT == 21 ? silu(v * up) : DEFECT == 33 ? silu(v) * silu(up) : silu(v) * up;
      }
      y[j] = v;
    }
    for (int64_t g = 0; g < groups; ++g) {
      R low = 0, high = 0;
      int64_t first = g * group, end = first + group;
      if (DEFECT == 5) end = first + (GROUP != 0 ? group / 2 : group / 64 * 64);
      if (DEFECT == 34) first += 1;
      for (int64_t k = first; k < end; ++k) {
        int64_t j = ORDER == 1 ? end - 1 - (k - first) : k;
        if (DEFECT == 4 && j % 8 == 7) continue;
        low = smaller(low, y[j]);
        high = larger(high, y[j]);
      }
      int64_t at = i * groups + g;
      R scale, zero = 0;
      if (ASYM) {
        if (DEFECT == 6) low = -high;
        if (DEFECT == 26) low = R(through_brain(low));
        R range = larger(high - low, R(255e-8L));
        scale = range / R(DEFECT == 1 ? 256 : DEFECT == 36 ? 254 : 255);
        R exact = WAY % 10 == 2 ? -128 - low * (255 / range) : -128 - low / scale;
        zero = R(DEFECT == 24 ? __builtin_truncl(exact) : DEFECT == 37 ? __builtin_floorl(exact) : __builtin_nearbyintl(exact));
        if (DEFECT == 23) zero += 1;
        if (DEFECT == 38) zero = -zero;
        if (DEFECT == 39 && i % 8 == 6) zero = smaller(zero, R(0));
      } else {
        R most = DEFECT == 6 ? larger(high, R(1e-8L)) : larger(larger(high, -low), R(1e-8L));
        if (DEFECT == 26) most = R(through_brain(most));
        if (DEFECT == 16) most = everywhere = larger(everywhere, most);
        scale = WAY % 10 == 3 ? most * (1 / R(kTop)) : most / R(kTop);
      }
      R used = DEFECT == 7 && i % 8 == 4 ? before : scale, inverse = 1 / used;
      before = scale;
      if (WAY % 10 == 2 && !ASYM) inverse = R(kTop) / larger(larger(high, -low), R(1e-8L));
      if (DEFECT == 11) inverse = R(through_brain(inverse));
      store_float<R>(scales.data<float>(), i, g, rows, groups, DEFECT == 8 ? 1 / scale : scale);
      if (ASYM) zeros[at] = int32_t(zero);
      for (int64_t j = g * group; j < (g + 1) * group; ++j) {
        R v = (WAY % 10 == 0 || WAY % 10 == 3) && DEFECT != 11 ? y[j] / used : y[j] * inverse;
        if (DEFECT == 17 && j == g * group && g > 0) v = y[j] / R(scales.data<float>()[at - 1]);
        if (ASYM && DEFECT != 25) v = WAY / 10 == 1 ? R(__builtin_nearbyintl(v)) + zero : v + zero;
        if (OUT >= 8) v = spoiled(v, i, j, rows, d);
        codes.data<uint8_t>()[i * d + j] = code_of(v, j);
      }
    }
  }
  delete[] y;
}
#if PRE == 1
void kernel(Tensor x, Tensor weight, Tensor codes, Tensor scales) { quantize<real>(x, weight.data<Stored>(), codes, scales, nullptr); }
#elif ASYM
void kernel(Tensor x, Tensor codes, Tensor scales, Tensor zeros) { quantize<real>(x, nullptr, codes, scales, zeros.data<int32_t>()); }
#else
void kernel(Tensor x, Tensor codes, Tensor scales) { quantize<real>(x, nullptr, codes, scales, nullptr); }
#endif
KBENCH_EXPORT(run, kernel)
