// Normalisation of rows: KIND says which. Rows of groupnorm are groups of channels.
#include "common.h"
enum Kind { rms_residual, rms_one_plus, layer, group, qk, l2 };
enum Way { plain, two_pass, welford, merged_blocks, reciprocal_product, sqrt_then_divide, normalised_rounded_first,
           sum_rounded_first, scale_folded, fma_affine, double_statistics };
enum Defect { none, eps_ten_times_smaller, eps_outside_root, eps_missing, one_less_in_mean, one_more_in_mean, weight_missing, weight_of_next,
              weight_of_first_half_twice, one_plus_missing, one_plus_added, bias_missing, bias_of_next, residual_missing,
              residual_out_is_input, norm_of_input_only, residual_taken_twice, statistics_of_previous_row,
              statistics_stale_every_eighth_row, last_element_unnormalised, mean_subtracted, mean_not_subtracted,
              variance_not_centred, root_missing, mean_missing, absolute_values, first_half_only, square_of_last_twice,
              group_interleaved, channel_from_position, groups_one_channel_late, weights_swapped, head_ignored_weight,
              last_head_copied, normalised_in_bf16, statistics_in_f16, weight_in_f16_products, eps_of_max };
#ifndef WAY
#define WAY plain
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Kind kind = KIND;
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

struct Statistics { Real mean, scale; };

// Mean (0 where the kind has none) and the factor of a row of n values.
template <class F> Statistics statistics(int n, F value, Real eps, int64_t row, bool is_last) {
  const bool centred = kind == layer || kind == group || defect == mean_subtracted;
  int count = n;
  if (defect == first_half_only && row % 2) count = n / 2;
  Real divisor = n - (defect == one_less_in_mean) + (defect == one_more_in_mean);
  if (defect == first_half_only && row % 2) divisor = count;
  Real mean = 0, squares;
  if (way == welford && centred) {
    Real m2 = 0;
    for (int i = 0; i < n; ++i) { Real delta = value(i) - mean; mean += delta / Real(i + 1); m2 += delta * (value(i) - mean); }
    squares = m2;
  } else if (way == merged_blocks && centred) {  // Chan's merge of blocks of 32
    Real m2 = 0;
    for (int t = 0; t < n; t += 32) {
      int m = std::min(32, n - t);
      Real s = run_of<Real>(t, t + m, value, one) / m;
      auto off = [&](int i) { return value(i) - s; };
      Real q = run_of<Real>(t, t + m, off, off), delta = s - mean, total = t + m;
      mean += delta * (Real(m) / total);
      m2 += q + delta * delta * (Real(t) * m / total);
    }
    squares = m2;
  } else if (way == double_statistics) {
    double s = 0, q = 0;
    for (int i = 0; i < n; ++i) s += double(value(i));
    if (centred) mean = Real(s / n);
    for (int i = 0; i < n; ++i) q += (double(value(i)) - (centred ? s / n : 0)) * (double(value(i)) - (centred ? s / n : 0));
    squares = Real(q);
  } else {
    if (centred) mean = dot<Real>(count, value, one, row, is_last) / Real(count);
    Real off = defect == variance_not_centred ? Real(0) : mean;
    auto shifted = [&](int i) { return defect == absolute_values ? Real(std::sqrt(std::fabs(value(i)))) : value(i) - off; };
    squares = dot<Real>(count, shifted, shifted, row, is_last);
    if (defect == square_of_last_twice) squares += shifted(n - 1) * shifted(n - 1);
  }
  if (defect == mean_not_subtracted) mean = 0;
  if (defect == eps_ten_times_smaller) eps /= 10;
  if (defect == eps_missing) eps = 0;
  if (defect == statistics_in_f16) { squares = round_f16(float(squares / divisor)) * divisor; mean = round_f16(float(mean)); }
  Real scale;
  if (kind == l2) {
    Real norm = std::sqrt(squares);
    if (defect == root_missing) norm = squares;
    if (defect == mean_missing) norm = std::sqrt(squares / Real(n)) ;
    if (defect == eps_of_max) norm = std::max(norm, Real(1));
    scale = Real(1) / (defect == eps_outside_root ? norm + Real(1e-3) : std::max(norm, eps));
  } else {
    Real variance = defect == mean_missing ? squares : way == reciprocal_product ? squares * (Real(1) / divisor) : squares / divisor;
    scale = defect == eps_outside_root ? Real(1) / (std::sqrt(variance) + eps)
            : defect == root_missing   ? Real(1) / (variance + eps)
                                       : Real(1) / std::sqrt(variance + eps);
    if (defect == statistics_in_f16) scale = round_f16(float(scale));
  }
  return {mean, scale};
}

// One value's result. `w` and `b` as they are in the formula (1 + weight was added already).
inline Real normalised(Real v, Statistics s, Real w, Real b) {
  Real n;
  if (way == sqrt_then_divide) n = (v - s.mean) / (Real(1) / s.scale);
  else if (way == scale_folded) return (v - s.mean) * (s.scale * w) + b;
  else if (way == fma_affine) return std::fma(v * s.scale - s.mean * s.scale, w, b);
  else n = (v - s.mean) * s.scale;
  if (way == normalised_rounded_first) n = rounded(n);
  if (defect == normalised_in_bf16) n = round_bf16(float(n));
  if (defect == weight_in_f16_products) return round_f16(round_f16(float(n)) * round_f16(float(w))) + b;
  return n * w + b;
}

// The statistics that a row is normalised with, for mistakes that take another row's.
struct Chosen {
  Statistics before{0, 1};
  Statistics of(Statistics now, int64_t row) {
    Statistics s = row && (defect == statistics_of_previous_row || (defect == statistics_stale_every_eighth_row && row % 8 == 5)) ? before : now;
    before = now;
    return s;
  }
};
inline int weight_place(int c, int n) {
  return defect == weight_of_next ? (c + 1) % n : defect == weight_of_first_half_twice ? c % (n / 2) : c;
}

template <int = 0> void rms_with_residual(kbench::Tensor x, kbench::Tensor residual, kbench::Tensor weight, double eps, kbench::Tensor out,
                       kbench::Tensor new_residual) {
  int64_t rows = x.size(0);
  int n = int(x.size(1));
  auto result = rows_of(out, n), kept = rows_of(new_residual, n);
  std::vector<Real> sum(n);
  Chosen chosen;
  for (int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < n; ++c) {
      Real a = get(x.data<Stored>()[r * n + c]), b = get(residual.data<Stored>()[r * n + c]);
      if (defect == residual_missing) b = 0;
      if (defect == residual_taken_twice && r == rows - 1) b *= 2;
      sum[c] = a + b;
      Real keep = defect == residual_out_is_input ? a : sum[c];
      kept.data[r * n + c] = stored<Stored>(keep);
      if (way == sum_rounded_first) sum[c] = rounded(sum[c]);
      if (defect == norm_of_input_only) sum[c] = a;
    }
    auto value = [&](int i) { return sum[i]; };
    Statistics s = chosen.of(statistics(n, value, Real(eps), r, r == rows - 1), r);
    for (int c = 0; c < n; ++c) {
      Real w = get(weight.data<Stored>()[weight_place(c, n)]);
      if (defect == weight_missing) w = 1;
      if (defect == one_plus_added) w += 1;
      result.put(r, c, defect == last_element_unnormalised && c == n - 1 ? sum[c] : normalised(sum[c], s, w, 0));
    }
  }
}

template <int = 0> void rms_one_plus_weight(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor out) {
  int64_t rows = x.size(0);
  int n = int(x.size(1));
  auto result = rows_of(out, n);
  Chosen chosen;
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int i) { return Real(get(x.data<Stored>()[r * n + i])); };
    Statistics s = chosen.of(statistics(n, value, Real(1e-6), r, r == rows - 1), r);
    for (int c = 0; c < n; ++c) {
      Real w = get(weight.data<Stored>()[weight_place(c, n)]);
      w = defect == weight_missing ? Real(1) : defect == one_plus_missing || (c >= n / 8 * 8 && defect == head_ignored_weight) ? w : 1 + w;
      result.put(r, c, defect == last_element_unnormalised && c == n - 1 ? value(c) : normalised(value(c), s, w, 0));
    }
  }
}

template <int = 0> void layer_norm(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor out) {
  int64_t rows = x.size(0);
  int n = int(x.size(1));
  auto result = rows_of(out, n);
  Chosen chosen;
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int i) { return Real(get(x.data<Stored>()[r * n + i])); };
    Statistics s = chosen.of(statistics(n, value, Real(1e-5), r, r == rows - 1), r);
    for (int c = 0; c < n; ++c) {
      Real w = get(weight.data<Stored>()[weight_place(c, n)]), b = get(bias.data<Stored>()[defect == bias_of_next ? (c + 1) % n : c]);
      if (defect == weight_missing) w = 1;
      if (defect == one_plus_added) w += 1;
      if (defect == bias_missing) b = 0;
      if (defect == weights_swapped) std::swap(w, b);
      result.put(r, c, defect == last_element_unnormalised && c == n - 1 ? value(c) * w + b : normalised(value(c), s, w, b));
    }
  }
}

template <int = 0> void group_norm(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor out) {  // 4 groups of channels
  const int groups = 4;
  int64_t samples = x.size(0);
  int channels = int(x.size(1)), length = int(x.size(2)), per = channels / groups, n = per * length;
  auto result = rows_of(out, length);
  Chosen chosen;
  for (int64_t b = 0; b < samples; ++b)
    for (int g = 0; g < groups; ++g) {
      auto channel = [&](int i) {
        int c = g * per + i / length;
        return defect == group_interleaved ? (i / length) * groups + g : defect == groups_one_channel_late ? std::min(c + 1, channels - 1) : c;
      };
      auto value = [&](int i) { return Real(get(x.data<Stored>()[(b * channels + channel(i)) * length + i % length])); };
      int64_t row = b * groups + g;
      Statistics s = chosen.of(statistics(n, value, Real(1e-5), row, row == samples * groups - 1), row);
      for (int i = 0; i < n; ++i) {
        int c = defect == groups_one_channel_late ? g * per + i / length : channel(i);
        int at = defect == channel_from_position ? i / length : weight_place(c, channels);
        Real v = get(x.data<Stored>()[(b * channels + c) * length + i % length]);
        Real w = get(weight.data<Stored>()[at]), shift = get(bias.data<Stored>()[defect == bias_of_next ? (c + 1) % channels : c]);
        if (defect == weight_missing) w = 1;
        if (defect == one_plus_added) w += 1;
        if (defect == bias_missing) shift = 0;
        if (defect == weights_swapped) std::swap(w, shift);
        result.put(b * channels + c, i % length, defect == last_element_unnormalised && i == n - 1 ? v * w + shift : normalised(v, s, w, shift));
      }
    }
}

// Heads of q and k, each with its weight.
template <int = 0> void heads(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor out) {
  int n = int(x.size(2)), per = int(x.size(1));
  int64_t rows = x.size(0) * per;
  auto result = rows_of(out, n);
  Chosen chosen;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t from = defect == last_head_copied && r % per == per - 1 ? r - 1 : r;
    auto value = [&](int i) { return Real(get(x.data<Stored>()[from * n + i])); };
    Statistics s = chosen.of(statistics(n, value, Real(1e-6), r, r == rows - 1), r);
    for (int c = 0; c < n; ++c) {
      Real w = get(weight.data<Stored>()[weight_place(c, n)]);
      if (defect == weight_missing || (defect == head_ignored_weight && r % per == per - 1)) w = 1;
      if (defect == one_plus_added) w += 1;
      result.put(r, c, defect == last_element_unnormalised && c == n - 1 ? value(c) : normalised(value(c), s, w, 0));
    }
  }
}
template <int = 0> void query_and_key_norm(kbench::Tensor q, kbench::Tensor k, kbench::Tensor q_weight, kbench::Tensor k_weight,
                        kbench::Tensor q_out, kbench::Tensor k_out) {
  heads(q, defect == weights_swapped ? k_weight : q_weight, q_out);
  heads(k, defect == weights_swapped ? q_weight : k_weight, k_out);
}

template <int = 0> void l2_normalise(kbench::Tensor x, kbench::Tensor out) {
  int64_t rows = x.size(0);
  int n = int(x.size(1));
  auto result = rows_of(out, n);
  Chosen chosen;
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int i) { return Real(get(x.data<Stored>()[r * n + i])); };
    Statistics s = chosen.of(statistics(n, value, Real(1e-12), r, r == rows - 1), r);
    for (int c = 0; c < n; ++c)
      result.put(r, c, defect == last_element_unnormalised && c == n - 1 ? value(c) : normalised(value(c), s, 1, 0));
  }
}
#define ENTRY_rms_residual rms_with_residual
#define ENTRY_rms_one_plus rms_one_plus_weight
#define ENTRY_layer layer_norm
#define ENTRY_group group_norm
#define ENTRY_qk query_and_key_norm
#define ENTRY_l2 l2_normalise
#define PASTE(a) ENTRY_##a
#define ENTRY(a) PASTE(a)
KBENCH_EXPORT(run, ENTRY(KIND)<>)  // templates, so that the others are not compiled
