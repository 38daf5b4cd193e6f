// RMS normalisation, then codes of a row (int8 or float8 e4m3fn by KIND) with the row's scale.
#include "common.h"
enum Kind { to_int8, to_f8 };
enum Way { divided, times_reciprocal, weight_into_scale, root_divided };
enum Defect { none, codes_cut, codes_rounded_down, limit_one_more, limit_smaller, maximum_without_sign, maximum_of_input, maximum_of_row_before,
              scale_is_inverse, weight_missing, weight_of_next, root_missing, mean_subtracted, codes_half_up_of_magnitude, last_element_not_in_maximum,
              last_codes_stale, negative_limit_lost, scale_two_percent, scale_in_f16, scale_in_bf16, value_in_bf16, sign_lost_in_last_row,
              scale_of_block_of_64, codes_plus_one, double_scaled_row, small_codes_zero, tail_not_in_maximum };
#ifndef WAY
#define WAY divided
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Kind kind = KIND;
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

inline uint8_t code_of(Real v, bool is_last_row) {
  if (defect == sign_lost_in_last_row && is_last_row) v = std::fabs(v);
  if (kind == to_f8) {
    if (defect == codes_half_up_of_magnitude) v *= Real(1.01);
    if (defect == small_codes_zero && std::fabs(v) < 8) v = 0;
    if (defect == negative_limit_lost) v = std::max(v, Real(-240));
    return f8_bits(to_odd(v), defect == codes_cut);
  }
  Real r = defect == codes_cut ? std::trunc(v) : defect == codes_rounded_down ? std::floor(v)
           : defect == codes_half_up_of_magnitude ? std::trunc(v + std::copysign(Real(0.51), v)) : std::nearbyint(v);
  if (defect == small_codes_zero && std::fabs(r) < 2) r = 0;
  if (defect == codes_plus_one && r > 100) r += 1;
  if (defect == negative_limit_lost) r = std::max(r, Real(-96));
  int whole = int(std::max(Real(-128), defect == limit_one_more ? r : std::min(Real(127), r)));
  return uint8_t(int8_t(whole));  // one more than 127 wraps
}

void quantised(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor codes, kbench::Tensor scales) {
  int64_t rows = x.size(0);
  int n = int(x.size(1));
  Real highest = kind == to_int8 ? 127 : 448;
  if (defect == limit_one_more) highest += 1;
  if (defect == limit_smaller) highest = kind == to_int8 ? 126 : 440;
  std::vector<Real> y(n);
  Real before = 0;
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int i) { return Real(get(x.data<Stored>()[r * n + i])); };
    Real mean = defect == mean_subtracted ? run_of<Real>(0, n, value, one) / n : Real(0);
    auto shifted = [&](int i) { return value(i) - mean; };
    Real variance = dot<Real>(n, shifted, shifted, r, r == rows - 1) / Real(n) + Real(1e-5);
    Real root = defect == root_missing ? variance : std::sqrt(variance);
    Real largest = 0;
    for (int c = 0; c < n; ++c) {
      Real w = defect == weight_missing ? Real(1) : Real(get(weight.data<Stored>()[defect == weight_of_next ? (c + 1) % n : c]));
      y[c] = way == root_divided ? shifted(c) / root * w : way == weight_into_scale ? shifted(c) * ((Real(1) / root) * w) : shifted(c) * (Real(1) / root) * w;
      if (defect == value_in_bf16) y[c] = round_bf16(float(y[c]));
      if ((defect == last_element_not_in_maximum && c >= n - 12) || (defect == tail_not_in_maximum && c >= n / 64 * 64)) continue;
      if (defect == scale_of_block_of_64 && c < n - 128) continue;
      Real m = defect == maximum_of_input ? value(c) : y[c];
      largest = std::max(largest, defect == maximum_without_sign ? m : std::fabs(m));
    }
    Real mine = largest;
    if (defect == maximum_of_row_before && r % 5 == 4) largest = before;
    before = mine;
    Real scale = std::max(largest / highest, Real(1e-10));  // of a row of zeros as well
    if (defect == scale_two_percent) scale *= Real(1.02);
    if (defect == scale_in_f16) scale = round_f16(float(scale));
    if (defect == scale_in_bf16) scale = round_bf16(float(scale));
    Real reciprocal = largest > 0 ? std::min(highest / largest, Real(1e10)) : Real(0);
    for (int c = 0; c < n; ++c) {
      Real v = way == times_reciprocal ? y[c] * (Real(1) / scale) : way == weight_into_scale ? y[c] * reciprocal : y[c] / scale;
      if (defect == double_scaled_row && r == 1) v /= 2;
      if (defect == last_codes_stale && c == n - 1) { codes.data<uint8_t>()[r * n + c] = codes.data<uint8_t>()[r * n + c - 1]; continue; }
      codes.data<uint8_t>()[r * n + c] = code_of(v, r == rows - 1);
    }
    scales.data<float>()[r] = float(defect == scale_is_inverse ? 1 / scale : scale * Real(FACTOR));
  }
}
KBENCH_EXPORT(run, quantised)
