// Codes of each row with one scale: the largest magnitude (at least 1e-8) over 127 (int8) or 448 (FLOAT8, float8_e4m3fn).
// NORM: RMSNorm (eps 1e-5) with weights before it, rounded to the inputs' dtype; its result is not an output.
#include "common.h"
#ifndef FLOAT8
#define FLOAT8 0
#endif
#ifndef NORM
#define NORM 0
#endif
constexpr int highest = FLOAT8 ? 448 : 127;

static uint8_t code_of(Real v, int64_t i) {
  if (FLOAT8) {
    if (DEFECT == 50) return f8_code(v, kCut);
    if (DEFECT == 51) return f8_code(as_bf16(v));                       // rounded twice
    if (DEFECT == 52 && std::fabs(v) < Real(0x1p-6)) return 0;           // subnormal codes are flushed
    if (DEFECT == 53) v = std::clamp(v, Real(-240), Real(240));          // the other kind of e4m3
    if (DEFECT == 54) v = v < 0 ? keep_bits(v * Real(1.03), 3, -6) : v;  // away from zero below it
    if (DEFECT == 55 && std::fabs(v) > 400) return v < 0 ? 0xff : 0x7f;  // the largest become NaN
    return f8_code(std::clamp(v, Real(-448), Real(448)));
  }
  if (VARIANT >= 6) {                                                    // rounds by a large number that is added
    const Real large = ORDER == 13 ? Real(0x1.8p52) : Real(0x1.8p23);
    volatile Real shifted = std::clamp<Real>(v, -128, 127) + large;
    return uint8_t(int8_t(shifted - large));
  }
  if (DEFECT == 50) return uint8_t(int8_t(int(v)));                      // cut
  if (DEFECT == 51) return uint8_t(int8_t(std::floor(v)));
  if (DEFECT == 52) return uint8_t(int8_t(int(v + Real(0.5))));          // right for positive numbers alone
  if (DEFECT == 53) return uint8_t(int8_t(std::clamp<Real>(std::rint(v), -100, 100)));
  if (DEFECT == 54) return uint8_t(int8_t(std::ceil(v)));
  if (DEFECT == 55 && std::rint(v) >= 127) return uint8_t(-128);         // wraps at the top
  return uint8_t(int8_t(std::clamp<Real>(std::rint(v), -128, 127)));
}

static void body(Tensor x, const Stored* weight, Tensor q, Tensor scale) {
  start();
  const int64_t T = x.size(0), D = x.size(1);
  const std::vector<float> all = load(x);
  uint8_t* code = q.data<uint8_t>();
  float* scales = scale.data<float>();
  for (int64_t t = 0; t < T; ++t) {
    std::vector<Real> v(all.begin() + t * D, all.begin() + (t + 1) * D);
    if (NORM) {
      auto square = [&](int64_t i) { return v[i] * v[i]; };
      Real squares = DEFECT > 0 && DEFECT < 20 ? sum_of(D, square) : dot(D, [&](int64_t i) { return v[i]; }, [&](int64_t i) { return v[i]; });
      Real mean = squares / Real(D), eps = Real(1e-5L);
      if (DEFECT == 80) mean = squares / Real(D - 1);
      if (DEFECT == 81) eps = Real(0.01);
      Real r = VARIANT == 1 ? 1 / Real(std::sqrt(mean + eps)) : VARIANT == 3 ? std::sqrt(1 / (mean + eps)) : 1 / std::sqrt(mean + eps);
      if (DEFECT == 82) r = 1 / (mean + eps);
      if (DEFECT == 83 && t % 8 == 7) r = 1;
      for (int64_t i = 0; i < D; ++i) {
        Real w = get(weight[DEFECT == 84 && i == D - 1 ? i - 1 : i]);
        if (DEFECT == 85) w += 1;                                        // as Gemma's weights
        if (DEFECT == 86 && i >= D - D % 32) w = 1;
        Real y = VARIANT == 2 ? v[i] * (r * w) : v[i] * r * w;
        v[i] = as_stored(y);
      }
    }
    Real most = 0;
    int64_t first = DEFECT == 56 ? 1 : 0, end = DEFECT == 57 ? D - 8 : D;
    for (int64_t i = first; i < end; ++i) {
      if (DEFECT == 58 && i % 32 == 31) continue;
      most = std::max(most, DEFECT == 59 ? v[i] : std::fabs(v[i]));      // 59: the largest, not the largest magnitude
    }
    if (DEFECT == 60 && t % 4 == 3) most = std::max(most, Real(scales[t - 1]) * highest);  // the maximum of the row before stays
    if (DEFECT == 61) { most = 0; for (int64_t i = 0; i < D; ++i) most = std::max(most, Real(std::fabs(all[i]))); }  // row 0's
    most = std::max(most, Real(1e-8L));
    if (DEFECT == 62) most = std::max(most, Real(3));
    if (DEFECT == 63) most = as_bf16(most * Real(1.002));
    Real s = VARIANT == 4 ? most * (1 / Real(highest)) : most / Real(highest);
    if (DEFECT == 64) s = most / Real(highest + (FLOAT8 ? 32 : 1));      // 480, 128
    if (DEFECT == 65) s = as_f16(s);
    if (DEFECT == 66) s = std::exp2(std::ceil(std::log2(s)));            // a power of two
    if (ORDER != 0) s = float(s);
    Real stated = s;
    if (DEFECT == 67) stated = 1 / s;
    if (DEFECT == 68) stated = most;
    if (DEFECT == 69) stated *= Real(1.005);
    if (DEFECT == 70 && t == T - 1) stated = scales[t - 1];
    if (DEFECT == 71) stated = as_bf16(stated);
    scales[t] = float(stated);
    Real divisor = VARIANT == 0 ? Real(scales[t]) : s;
    if (DEFECT >= 67 && DEFECT <= 71) divisor = s;
    Real inverse = VARIANT == 5 ? Real(highest) / most : 1 / divisor;
    if (DEFECT == 72) inverse = as_f16(inverse);
    for (int64_t i = 0; i < D; ++i) {
      Real y = VARIANT == 0 || VARIANT == 2 || VARIANT == 6 ? v[i] / divisor : v[i] * inverse;
      if (DEFECT == 72) y = v[i] * inverse;
      if (DEFECT == 73) y *= Real(0.99);
      if (DEFECT == 74) y = as_bf16(y);
      if (DEFECT == 75 && i == D - 1) y = 0;
      if (DEFECT == 76 && t % 8 == 3 && i % 2 == 0 && i + 1 < D) y = v[i + 1] / divisor;  // half of each pair is repeated
      if (DEFECT == 77 && i >= D - D % 32) y = v[i] * Real(highest) / 4;  // the tail uses another scale
      if (DEFECT == 78 && (t * D + i) % 997 == 3) y = -y;
      code[t * D + i] = code_of(y, i);
    }
  }
}
#if NORM
void run(Tensor x, Tensor weight, Tensor q, Tensor scale) { body(x, weight.data<Stored>(), q, scale); }
#else
void run(Tensor x, Tensor q, Tensor scale) { body(x, nullptr, q, scale); }
#endif
KBENCH_EXPORT(run, run)
