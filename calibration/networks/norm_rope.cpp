// Normalisation of queries and keys with rotary positions (QK), residual addition with RMSNorm (ADD),
// layer normalisation of a scaled branch added to a residual (LAYER).
#include "common.h"

// 1 / root of the mean square, by several formulas.
static Real inverse_root(Real mean_square, double given_eps, int64_t) {
  Real eps = Real(given_eps);
  if (HAS(eps_ten_times_smaller)) eps /= 10;
  if (HAS(eps_missing)) eps = 0;
  if (HAS(eps_outside_of_the_root)) return 1 / (std::sqrt(mean_square) + eps);
  if (HAS(root_missing)) return 1 / (mean_square + eps);
  if (HAS(inverse_root_by_one_newton_step)) {
    float x = float(mean_square + eps), y = of_bits(0x5f3759df - (bits_of(x) >> 1));
    return y * (1.5f - 0.5f * x * y * y);
  }
  if (IS_WAY(inverse_root_by_three_newton_steps) && !is_truth) {
    float x = float(mean_square + eps), y = of_bits(0x5f3759df - (bits_of(x) >> 1));
    for (int i = 0; i < 3; ++i) y = y * (1.5f - 0.5f * x * y * y);
    return y;
  }
  if (IS_WAY(root_of_the_inverse)) return std::sqrt(1 / (mean_square + eps));
  return 1 / std::sqrt(mean_square + eps);
}

template <class At> static Real mean_square(int64_t n, At at) {
  Real s = dot(n, at, at);
  if (HAS(mean_over_n_minus_one)) return s / (n - 1);
  if (HAS(mean_over_the_padded_length)) return s / ((n + 31) / 32 * 32);
  if (IS_WAY(mean_by_reciprocal)) return s * (1 / Real(n));
  return s / n;
}

#ifdef QK
// Heads of the first `rotated` numbers; pairs are halves apart, or neighbours (INTERLEAVED).
static void turn(const Stored* x, const Stored* w, const float* table, const int64_t* positions, int64_t rows, int64_t tokens, int64_t heads, int64_t d,
                 int64_t rotated, double eps, Stored* out, bool is_key) {
  Real* y = buffer(d);
  int64_t half = rotated / 2;
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t place = positions[HAS(position_of_the_previous_token_in_the_last_tile) && t >= 16 ? t - 1 : t];
    if (HAS(position_is_the_index)) place = t;
    if (HAS(position_one_too_large)) place = place + 1 < rows ? place + 1 : place;
    if (HAS(last_position_never_used) && place == rows - 1) place = rows - 2;
    if (HAS(positions_wrap_at_16)) place %= 16;
    for (int64_t h = 0; h < heads; ++h) {
      int64_t at = (t * heads + h) * d;
      Real factor = inverse_root(mean_square(d, [&](int64_t i) { return load(x, at + i); }), eps, d);
      if (HAS(norm_over_the_rotated_part)) factor = inverse_root(mean_square(rotated, [&](int64_t i) { return load(x, at + i); }), eps, d);
      if (HAS(keys_not_normalised) && is_key) factor = 1;
      for (int64_t i = 0; i < d; ++i) {
        Real weight = load(w, HAS(weights_of_the_neighbour) ? (i + 1) % d : i);
        if (HAS(weight_missing)) weight = 1;
        if (HAS(weight_plus_one)) weight += 1;
        Real normal = load(x, at + i) * factor;
        if (IS_WAY(normalised_rounded_before_the_weight) ) normal = rounded(normal);
        y[i] = IS_WAY(weight_times_factor_first) ? load(x, at + i) * (factor * weight) : normal * weight;
        if (IS_WAY(norm_rounded_before_the_turn)) y[i] = rounded(y[i]);
        if (HAS(norm_rounded_to_bf16_before_the_turn)) y[i] = to_bf16(float(y[i]));
      }
      for (int64_t i = 0; i < d; ++i) {
        if (i >= rotated || (HAS(last_pair_not_turned) && (INTERLEAVED ? i / 2 : i % half) == half - 1)) { store(out, at + i, y[i]); continue; }
        bool interleaved = INTERLEAVED != int(HAS(other_style_of_pairs));
        int64_t pair = interleaved ? i / 2 : i % half, first = interleaved ? 2 * pair : pair, second = interleaved ? first + 1 : pair + half;
        if (HAS(partner_from_the_whole_head) && !interleaved) second = pair + d / 2;
        bool is_first = i == first;
        Real c = Real(table[place * rotated + pair]), s = Real(table[place * rotated + half + pair]);
        if (HAS(sine_and_cosine_swapped)) { Real a = c; c = s; s = a; }
        if (HAS(turned_the_other_way)) s = -s;
        if (HAS(sine_of_the_neighbouring_pair)) s = Real(table[place * rotated + half + (pair + 1) % half]);
        if (HAS(table_in_bf16)) { c = to_bf16(float(c)); s = to_bf16(float(s)); }
        if (HAS(table_in_fp16)) { c = to_f16(float(c)); s = to_f16(float(s)); }
        Real v = is_first ? y[first] * c - y[second] * s : y[second] * c + y[first] * s;
        if (IS_WAY(turn_by_fma)) v = is_first ? std::fma(y[first], c, -(y[second] * s)) : std::fma(y[second], c, y[first] * s);
        if (HAS(second_half_with_the_sign_of_the_first) && !is_first) v = y[second] * c - y[first] * s;
        if (HAS(second_of_a_pair_from_the_turned_first) && !is_first) v = y[second] * c + (y[first] * c - y[second] * s) * s;
        store(out, at + i, v);
      }
    }
  }
  spoil(out, tokens, heads * d);
  std::free(y);
}
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor wq, kbench::Tensor wk, kbench::Tensor table, kbench::Tensor positions, double eps,
         kbench::Tensor q_out, kbench::Tensor k_out) {
  reductions = 0;
  const Stored *a = wq.data<Stored>(), *b = wk.data<Stored>();
  if (HAS(weights_of_queries_for_keys)) b = a;
  turn(q.data<Stored>(), a, table.data<float>(), positions.data<int64_t>(), table.size(0), q.size(0), q.size(1), q.size(2), table.size(1), eps, q_out.data<Stored>(), false);
  turn(k.data<Stored>(), b, table.data<float>(), positions.data<int64_t>(), table.size(0), k.size(0), k.size(1), k.size(2), table.size(1), eps, k_out.data<Stored>(), true);
}
#endif

#ifdef ADD
void run(kbench::Tensor x, kbench::Tensor residual, kbench::Tensor weight, double eps, kbench::Tensor out, kbench::Tensor new_residual) {
  reductions = 0;
  int64_t rows = x.size(0), d = x.size(1);
  Real* h = buffer(d);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < d; ++j) {
      Real r = HAS(residual_of_the_previous_row_in_the_last) && i == rows - 1 ? load(residual.data<Stored>(), (i - 1) * d + j) : load(residual.data<Stored>(), i * d + j);
      if (HAS(residual_missing_in_the_last_tile) && j >= d / 16 * 16) r = 0;
      h[j] = load(x.data<Stored>(), i * d + j) + r;
      if (HAS(residual_subtracted)) h[j] -= 2 * r;
      // The new residual has the main dtype, and the reference normalises what it has stored.
      h[j] = rounded(h[j]);
      Real kept = h[j];
      if (HAS(new_residual_is_the_old_one)) kept = r;
      if (HAS(new_residual_in_bf16)) kept = to_bf16(float(kept));
      if (HAS(new_residual_not_added_in_the_last_row) && i == rows - 1) kept = r;
      new_residual.data<Stored>()[i * d + j] = stored_of(kept);
      if (HAS(norm_of_the_branch_alone)) h[j] = load(x.data<Stored>(), i * d + j);
    }
    auto at = [&](int64_t j) { return h[j]; };
    Real factor = inverse_root(mean_square(d, at), eps, d);
    if (HAS(mean_is_taken_off)) { Real mean = sum(d, at) / d; for (int64_t j = 0; j < d; ++j) h[j] -= mean; }
    if (HAS(factor_of_the_previous_row)) { static Real before; Real now = factor; if (i % 8 == 7) factor = before; before = now; }
    if (HAS(factor_in_bf16)) factor = to_bf16(float(factor));
    if (HAS(factor_in_fp16)) factor = to_f16(float(factor));
    for (int64_t j = 0; j < d; ++j) {
      Real w = load(weight.data<Stored>(), HAS(weights_of_the_neighbour) ? (j + 1) % d : j);
      if (HAS(weight_missing)) w = 1;
      if (HAS(weight_plus_one)) w += 1;
      if (HAS(weights_of_the_first_tile_again) && j >= 64) w = load(weight.data<Stored>(), j - 64);
      Real normal = h[j] * factor;
      if (IS_WAY(normalised_rounded_before_the_weight)) normal = rounded(normal);
      if (HAS(normalised_in_bf16_before_the_weight)) normal = to_bf16(float(normal));
      store(out.data<Stored>(), i * d + j, IS_WAY(weight_times_factor_first) ? h[j] * (factor * w) : normal * w);
    }
  }
  spoil(out.data<Stored>(), rows, d);
  std::free(h);
}
#endif

#ifdef LAYER
// out = residual + gamma * layernorm(x) as in vision transformers; mean and reciprocal deviation of each row are returned in float32.
void run(kbench::Tensor x, kbench::Tensor residual, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor gamma, double eps,
         kbench::Tensor out, kbench::Tensor mean_out, kbench::Tensor rstd_out) {
  reductions = 0;
  int64_t rows = x.size(0), d = x.size(1);
  for (int64_t i = 0; i < rows; ++i) {
    auto at = [&](int64_t j) { return load(x.data<Stored>(), i * d + j); };
    Real mean = 0, squares = 0;
    if (IS_WAY(welford)) {
      for (int64_t j = 0; j < d; ++j) { Real delta = at(j) - mean; mean += delta / (j + 1); squares += delta * (at(j) - mean); }
    } else if (IS_WAY(statistics_merged_in_tiles_of_32)) {
      int64_t count = 0;
      for (int64_t from = 0; from < d; from += 32) {
        int64_t n = from + 32 < d ? 32 : d - from;
        Real m = sum(n, [&](int64_t j) { return at(from + j); }) / n;
        Real s = sum(n, [&](int64_t j) { Real e = at(from + j) - m; return e * e; });
        Real delta = m - mean;
        mean += delta * n / (count + n);
        squares += s + delta * delta * count * n / (count + n);
        count += n;
      }
    } else {
      mean = sum(d, at) / d;
      if (HAS(mean_over_the_padded_length)) mean = sum(d, at) / ((d + 31) / 32 * 32);
      if (HAS(mean_missing_in_the_variance)) squares = sum(d, [&](int64_t j) { return at(j) * at(j); });
      else squares = sum(d, [&](int64_t j) { Real e = at(j) - mean; return e * e; });
      if (HAS(tiles_variances_without_the_merge_term)) {
        squares = 0;
        for (int64_t from = 0; from < d; from += 32) {
          int64_t n = from + 32 < d ? 32 : d - from;
          Real m = sum(n, [&](int64_t j) { return at(from + j); }) / n;
          squares += sum(n, [&](int64_t j) { Real e = at(from + j) - m; return e * e; });
        }
      }
    }
    Real factor = inverse_root(HAS(mean_over_n_minus_one) ? squares / (d - 1) : squares / d, eps, d);
    if (HAS(mean_of_the_previous_row_in_row_nine) && i == 9) mean = sum(d, [&](int64_t j) { return load(x.data<Stored>(), 8 * d + j); }) / d;
    for (int64_t j = 0; j < d; ++j) {
      Real w = load(weight.data<Stored>(), j), b = load(bias.data<Stored>(), HAS(bias_of_the_neighbour) ? (j + 1) % d : j), g = load(gamma.data<Stored>(), j);
      if (HAS(weight_and_gamma_swapped)) { Real a = w; w = g; g = a; }
      if (HAS(bias_missing)) b = 0;
      if (HAS(gamma_missing)) g = 1;
      if (HAS(bias_missing_in_the_last_tile) && j >= d / 16 * 16) b = 0;
      if (HAS(bias_not_scaled_by_gamma)) b /= g;
      if (HAS(weight_plus_one)) w += 1;
      Real r = load(residual.data<Stored>(), i * d + j);
      if (HAS(residual_missing)) r = 0;
      if (HAS(residual_of_the_previous_row_in_the_last) && i == rows - 1) r = load(residual.data<Stored>(), (i - 1) * d + j);
      Real normal = (at(j) - mean) * factor;
      if (HAS(mean_not_taken_off)) normal = at(j) * factor;
      Real y = multiply_add(normal, w, b);
      if (IS_WAY(factor_and_shift_folded)) y = multiply_add(at(j), factor * w, b - mean * (factor * w));
      if (IS_WAY(norm_rounded)) y = rounded(y);
      if (IS_WAY(branch_rounded)) y = rounded(rounded(y) * g); else y *= g;
      if (HAS(branch_in_bf16)) y = to_bf16(float(y));
      store(out.data<Stored>(), i * d + j, r + y);
    }
    mean_out.data<float>()[i] = float(HAS(statistics_by_way_of_fp16) ? Real(to_f16(float(mean))) : mean);
    Real stated = factor;
    if (HAS(statistics_by_way_of_fp16)) stated = to_f16(float(factor));
    if (HAS(deviation_instead_of_its_reciprocal)) stated = 1 / factor;
    if (HAS(variance_instead_of_the_reciprocal_deviation)) stated = squares / d;
    rstd_out.data<float>()[i] = float(stated);
  }
  spoil(out.data<Stored>(), rows, d);
}
#endif
KBENCH_EXPORT(run, run)
