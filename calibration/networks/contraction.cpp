// Contractions and cells: TRIANGLE (multiplicative update), OUTER (outer product mean), GROUPED (grouped gemm),
// LSTM, GRU, MERGE (partial attention states), told by flags.
#include "common.h"

#ifdef TRIANGLE
// out[i, j, c] = mean over k of a[i, k, c] b[j, k, c] where the pair is not masked, times a sigmoid gate.
void run(kbench::Tensor a, kbench::Tensor b, kbench::Tensor gate, kbench::Tensor mask, kbench::Tensor out) {
  reductions = 0;
  int64_t n = a.size(0), channels = a.size(2);
  const uint8_t* seen = mask.data<uint8_t>();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t c = 0; c < channels; ++c) {
        auto left = [&](int64_t k) {
          int64_t row = i, column = k;
          if (HAS(incoming_edges)) { row = k; column = i; }
          bool keep = seen[row * n + column];
          if (HAS(mask_transposed)) keep = seen[column * n + row];
          if (HAS(mask_missing)) keep = true;
          if (HAS(mask_missing_in_the_last_row) && i == n - 1) keep = true;
          if (HAS(mask_inverted)) keep = !keep;
          return keep ? load(a.data<Stored>(), (row * n + column) * channels + c) : Real(0);
        };
        auto right = [&](int64_t k) {
          int64_t row = j, column = k;
          if (HAS(incoming_edges) || HAS(right_side_incoming)) { row = k; column = j; }
          bool keep = seen[row * n + column] || HAS(mask_missing) || HAS(right_side_not_masked);
          return keep ? load(b.data<Stored>(), (row * n + column) * channels + (HAS(channel_of_the_neighbour_in_the_last) && c == channels - 1 ? c - 1 : c)) : Real(0);
        };
        Real s = dot(n, left, right);
        if (HAS(diagonal_left_out)) s -= left(i) * right(i);
        if (IS_WAY(sum_rounded)) s = rounded(s);
        if (HAS(sum_in_fp16)) s = to_f16(float(s));
        if (HAS(sum_in_bf16)) s = to_bf16(float(s));
        Real divisor = Real(HAS(mean_over_n_minus_one) ? n - 1 : HAS(mean_over_the_padded_length) ? 32 : n);
        if (HAS(root_of_n_for_n)) divisor = std::sqrt(divisor);
        s = IS_WAY(mean_by_reciprocal) ? s * (1 / divisor) : s / divisor;
        Real g = load(gate.data<Stored>(), (HAS(gate_transposed) ? (j * n + i) : HAS(gate_of_the_previous_row_in_the_last) && i == n - 1 ? (i - 1) * n + j : i * n + j) * channels + c);
        if (HAS(hard_sigmoid)) { Real h = g / 6 + Real(0.5); g = h < 0 ? Real(0) : h > 1 ? Real(1) : h; }
        else if (HAS(gate_not_squashed)) {}
        else if (HAS(sigmoid_of_1_02)) g = 1 / (1 + std::exp(-g * (DTYPE == 2 ? Real(1.1) : Real(1.02))));
        else g = IS_WAY(gate_rounded) ? rounded(sigmoid(g)) : sigmoid(g);
        store(out.data<Stored>(), (i * n + j) * channels + c, HAS(gate_missing) ? s : s * g);
      }
  spoil(out.data<Stored>(), n * n, channels);
}
#endif

#ifdef OUTER
// out[i, j, c, e] = sum over s of a[s, i, c] b[s, j, e] / (eps + number of s in which both i and j are there).
void run(kbench::Tensor a, kbench::Tensor b, kbench::Tensor mask, double given_eps, kbench::Tensor out) {
  reductions = 0;
  int64_t s = a.size(0), n = a.size(1), c1 = a.size(2), c2 = b.size(2);
  const uint8_t* there = mask.data<uint8_t>();
  Real eps = Real(given_eps);
  if (HAS(eps_missing)) eps = 0;
  if (HAS(eps_ten_times_smaller)) eps /= 10;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int64_t count = 0, count_i = 0;
      for (int64_t t = 0; t < s - (HAS(last_sequence_not_counted) ? 1 : 0); ++t) { count += there[t * n + i] && there[t * n + j]; count_i += there[t * n + i]; }
      Real norm = Real(count);
      if (HAS(norm_of_one_side)) norm = Real(count_i);
      if (HAS(norm_is_the_depth)) norm = Real(s);
      if (HAS(norm_of_the_sides_product)) { int64_t cj = 0; for (int64_t t = 0; t < s; ++t) cj += there[t * n + j]; norm = Real(count_i) * cj / s; }
      if (HAS(norm_at_most_seven) && norm > 7) norm = 7;
      if (HAS(norm_at_least_one)) { norm = norm < 1 ? Real(1) : norm; eps = 0; }
      for (int64_t c = 0; c < c1; ++c)
        for (int64_t e = 0; e < c2; ++e) {
          auto left = [&](int64_t t) { return there[t * n + i] || HAS(left_side_not_masked) ? load(a.data<Stored>(), (t * n + i) * c1 + (HAS(left_channels_reversed) ? c1 - 1 - c : c)) : Real(0); };
          auto right = [&](int64_t t) {
            int64_t column = HAS(right_column_of_the_left_in_the_last) && j == n - 1 ? i : j;
            return there[t * n + j] || HAS(right_side_not_masked) ? load(b.data<Stored>(), (t * n + column) * c2 + e) : Real(0);
          };
          Real v = dot(HAS(sum_ends_at_depth_32) && s > 32 ? 32 : s, left, right);
          if (IS_WAY(sum_rounded)) v = rounded(v);
          if (HAS(sum_in_fp16)) v = to_f16(float(v));
          if (HAS(sum_in_bf16)) v = to_bf16(float(v));
          v = HAS(division_missing_in_the_last_column) && e == c2 - 1 ? v / 16 : IS_WAY(mean_by_reciprocal) ? v * (1 / (norm + eps)) : v / (norm + eps);
          if (HAS(eps_on_the_quotient)) v = dot(s, left, right) / (norm > 0 ? norm : Real(1)) + eps;
          int64_t at = HAS(rows_and_columns_transposed) ? ((j * n + i) * c1 + c) * c2 + e : ((i * n + j) * c1 + c) * c2 + e;
          store(out.data<Stored>(), at, v);
        }
    }
  spoil(out.data<Stored>(), n * n, c1 * c2);
}
#endif

#ifdef GROUPED
// Rows from group_indptr[g] to group_indptr[g + 1] by the weights of g, with bias and a tanh-GELU; other rows do not exist.
void run(kbench::Tensor x, kbench::Tensor w, kbench::Tensor bias, kbench::Tensor group_indptr, kbench::Tensor out) {
  reductions = 0;
  int64_t rows = x.size(0), k = x.size(1), groups = w.size(0), n = w.size(1);
  const int32_t* starts = group_indptr.data<int32_t>();
  for (int64_t i = 0; i < rows; ++i) {
    int64_t g = 0, row = i;
    while (g + 1 < groups && i >= starts[g + 1]) ++g;
    if (HAS(first_row_of_a_group_by_the_previous_weights) && g > 0 && i == starts[g]) --g;
    if (HAS(last_row_of_a_group_by_the_next_weights) && g + 1 < groups && i == starts[g + 1] - 1) ++g;
    if (HAS(last_group_never_used) && g == groups - 1) g = groups - 2;
    if (HAS(groups_of_equal_size)) g = i * groups / rows;
    if (HAS(group_of_the_tiles_first_row)) { int64_t first = i / 8 * 8; g = 0; while (g + 1 < groups && first >= starts[g + 1]) ++g; }
    if (HAS(row_numbered_in_its_group)) row = i - starts[g];
    if (HAS(capacity_of_nine_rows) && i - starts[g] >= 9) { for (int64_t o = 0; o < n; ++o) store(out.data<Stored>(), i * n + o, 0); continue; }
    if (HAS(last_row_of_odd_groups_repeats) && (starts[g + 1] - starts[g]) % 2 && i == starts[g + 1] - 1 && i > starts[g]) row = i - 1;
    for (int64_t o = 0; o < n; ++o) {
      auto weight = [&](int64_t e) {
        if (HAS(weights_transposed)) return load(w.data<Stored>(), g * n * k + (o * k + e) % (n * k) / k + (o * k + e) % k * n % (n * k - n));
        if (HAS(weights_of_the_next_column_in_the_last)) return load(w.data<Stored>(), (g * n + (o == n - 1 ? o - 1 : o)) * k + e);
        return load(w.data<Stored>(), (g * n + o) * k + e);
      };
      Real s = dot(k, [&](int64_t e) { return load(x.data<Stored>(), row * k + e); }, weight) * Real(0.125);
      Real add = load(bias.data<Stored>(), (HAS(bias_of_the_first_group) ? 0 : g) * n + o);
      if (HAS(bias_missing)) add = 0;
      if (HAS(bias_scaled_as_the_product)) add *= Real(0.125);
      if (IS_WAY(product_rounded_before_the_bias)) s = rounded(s);
      s += add;
      if (IS_WAY(sum_rounded_before_the_activation)) s = rounded(s);
      if (HAS(sum_in_bf16_before_the_activation)) s = to_bf16(float(s));
      Real cubic = Real(0.044715), inner = Real(0.79788456080286535588L) * (s + cubic * s * s * s);
      if (IS_WAY(cubic_by_factors)) inner = s * (Real(0.79788456080286535588L) + Real(0.79788456080286535588L * 0.044715L) * (s * s));
      if (HAS(cubic_term_missing)) inner = Real(0.79788456080286535588L) * s;
      if (HAS(cubic_of_0_0447)) inner = Real(0.7978845608L) * (s + Real(0.04) * s * s * s);
      Real y = IS_WAY(gelu_by_sigmoid) ? s / (1 + std::exp(-2 * inner)) : s * Real(0.5) * (1 + std::tanh(inner));
      if (HAS(erf_gelu)) y = s / 2 * std::erfc(-s * Real(0.70710678118654752440L));
      if (HAS(quick_gelu)) y = s / (1 + std::exp(Real(-1.702) * s));
      if (HAS(silu_for_gelu)) y = s / (1 + std::exp(-s));
      if (HAS(relu_for_gelu)) y = s > 0 ? s : Real(0);
      if (HAS(activation_before_the_bias)) { Real t = s - add; y = t * Real(0.5) * (1 + std::tanh(Real(0.7978845608L) * (t + cubic * t * t * t))) + add; }
      store(out.data<Stored>(), i * n + o, y);
    }
  }
  spoil(out.data<Stored>(), rows, n);
}
#endif

#if defined(LSTM) || defined(GRU)
static Real squash(Real x) {
  if (HAS(hard_sigmoid)) { Real h = x / 6 + Real(0.5); return h < 0 ? Real(0) : h > 1 ? Real(1) : h; }
  return sigmoid(x);
}
static Real tanh_of(Real x) {
  if (HAS(hard_tanh)) return x > 1 ? Real(1) : x < -1 ? Real(-1) : x;
  if (HAS(tanh_by_a_short_fraction)) return x > 3 ? Real(1) : x < -3 ? Real(-1) : x * (27 + x * x) / (27 + 9 * x * x);
  if (IS_WAY(tanh_by_exp)) return 1 - 2 / (std::exp(2 * x) + 1);
  if (IS_WAY(tanh_by_expm1)) { Real e = std::expm1(-2 * std::fabs(x)), t = -e / (e + 2); return x < 0 ? -t : t; }
  return std::tanh(x);
}
struct Cell {
  const Stored *x, *h, *wx, *wh, *bx, *bh;
  int64_t inputs, hidden, batch;
  Real part(const Stored* a, const Stored* w, const Stored* b, int64_t n, int64_t row, int64_t unit) const {
    return dot(n, [&](int64_t e) { return load(a, row * n + e); }, [&](int64_t e) { return load(w, unit * n + e); }) * Real(0.125) + load(b, unit);
  }
  Real of_x(int64_t row, int64_t unit) const {
    if (HAS(input_bias_missing)) return part(x, wx, bx, inputs, row, unit) - load(bx, unit);
    if (HAS(input_of_the_previous_row_in_the_last) && row == batch - 1) --row;
    return rounded_if(part(x, wx, bx, inputs, row, unit));
  }
  Real of_h(int64_t row, int64_t unit) const {
    if (HAS(hidden_bias_missing)) return part(h, wh, bh, hidden, row, unit) - load(bh, unit);
    if (HAS(hidden_state_ignored)) return load(bh, unit);
    if (HAS(hidden_state_of_the_first_row)) row = 0;
    return rounded_if(part(h, wh, bh, hidden, row, unit));
  }
  static Real rounded_if(Real v) { return IS_WAY(projections_rounded) ? rounded(v) : HAS(projections_in_bf16) ? Real(to_bf16(float(v))) : v; }
};
#endif

#ifdef LSTM
void run(kbench::Tensor x, kbench::Tensor h, kbench::Tensor c, kbench::Tensor wx, kbench::Tensor wh, kbench::Tensor bx, kbench::Tensor bh,
         kbench::Tensor h_out, kbench::Tensor c_out) {
  reductions = 0;
  int64_t rows = x.size(0), n = h.size(1);
  Cell cell{x.data<Stored>(), h.data<Stored>(), wx.data<Stored>(), wh.data<Stored>(), bx.data<Stored>(), bh.data<Stored>(), x.size(1), n, rows};
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t j = 0; j < n; ++j) {
      int64_t order[4] = {0, 1, 2, 3};  // input, forget, candidate, output
      if (HAS(input_and_forget_gates_swapped)) { order[0] = 1; order[1] = 0; }
      if (HAS(candidate_and_output_swapped)) { order[2] = 3; order[3] = 2; }
      Real g[4];
      for (int q = 0; q < 4; ++q) {
        int64_t unit = HAS(gates_interleaved) ? j * 4 + q : order[q] * n + j;
        g[q] = cell.of_x(b, unit) + cell.of_h(b, unit);
      }
      Real keep = squash(g[1] + (HAS(forget_gate_with_one_added) ? 1 : 0)), old = Real(c.data<float>()[b * n + j]);
      if (HAS(cell_of_the_neighbour_in_the_last_column) && j == n - 1) old = Real(c.data<float>()[b * n + j - 1]);
      if (HAS(cell_in_bf16)) old = to_bf16(float(old));
      if (HAS(cell_in_fp16)) old = to_f16(float(old));
      Real next = multiply_add(keep, old, squash(g[0]) * (HAS(candidate_by_sigmoid) ? squash(g[2]) : tanh_of(g[2])));
      if (HAS(cell_clipped_at_two)) next = next > 2 ? Real(2) : next < -2 ? Real(-2) : next;
      Real shown = HAS(cell_rounded_before_the_output) ? Real(to_bf16(float(next))) : HAS(output_of_the_old_cell) ? old : next;
      store(h_out.data<Stored>(), b * n + j, squash(g[3]) * (HAS(tanh_of_the_cell_missing) ? shown : tanh_of(shown)));
      Real kept = next;
      if (HAS(new_cell_by_way_of_bf16)) kept = to_bf16(float(next));
      if (HAS(new_cell_by_way_of_fp16)) kept = to_f16(float(next));
      c_out.data<float>()[b * n + j] = float(kept);
    }
  spoil(h_out.data<Stored>(), rows, n);
}
#endif

#ifdef GRU
void run(kbench::Tensor x, kbench::Tensor h, kbench::Tensor wx, kbench::Tensor wh, kbench::Tensor bx, kbench::Tensor bh, kbench::Tensor h_out) {
  reductions = 0;
  int64_t rows = x.size(0), n = h.size(1);
  Cell cell{x.data<Stored>(), h.data<Stored>(), wx.data<Stored>(), wh.data<Stored>(), bx.data<Stored>(), bh.data<Stored>(), x.size(1), n, rows};
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t j = 0; j < n; ++j) {
      int64_t first = j, second = n + j, third = 2 * n + j;  // reset, update, new
      if (HAS(reset_and_update_swapped)) { first = n + j; second = j; }
      if (HAS(gates_interleaved)) { first = 3 * j; second = 3 * j + 1; third = 3 * j + 2; }
      Real r = squash(cell.of_x(b, first) + cell.of_h(b, first)), z = squash(cell.of_x(b, second) + cell.of_h(b, second)), inner = cell.of_h(b, third);
      if (HAS(reset_gate_without_the_bias)) inner = r * (inner - load(bh.data<Stored>(), third)) + load(bh.data<Stored>(), third);
      else if (!HAS(reset_gate_missing)) inner *= r;
      if (HAS(reset_gate_on_the_input_too)) inner += (r - 1) * cell.of_x(b, third);
      Real fresh = cell.of_x(b, third) + inner, old = load(h.data<Stored>(), b * n + j);
      fresh = HAS(candidate_by_sigmoid) ? squash(fresh) : tanh_of(fresh);
      if (HAS(candidate_in_bf16)) fresh = to_bf16(float(fresh));
      if (HAS(old_state_of_the_neighbour_in_the_last_column) && j == n - 1) old = load(h.data<Stored>(), b * n + j - 1);
      if (HAS(update_gate_inverted)) z = 1 - z;
      if (HAS(update_gate_in_eight_bits)) z = std::floor(z * 255) / 255;
      if (HAS(update_gate_snaps_to_zero_and_one)) z = z < Real(0.1) ? Real(0) : z > Real(0.9) ? Real(1) : z;
      Real next = IS_WAY(mixed_by_difference) ? multiply_add(z, old - fresh, fresh) : (1 - z) * fresh + z * old;
      store(h_out.data<Stored>(), b * n + j, next);
    }
  spoil(h_out.data<Stored>(), rows, n);
}
#endif

#ifdef MERGE
// Partial attention results of several parts of the keys, each with its log-sum-exp, to the whole.
void run(kbench::Tensor v, kbench::Tensor s, kbench::Tensor out, kbench::Tensor lse) {
  reductions = 0;
  int64_t parts = v.size(0), rows = v.size(1), d = v.size(2);
  const Stored* pv = v.data<Stored>();
  const float* ps = s.data<float>();
  Real* w = buffer(parts);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t used = HAS(last_part_missing) ? parts - 1 : parts;
    auto given = [&](int64_t k) { return Real(ps[k * rows + (HAS(weights_of_the_next_row_in_the_last_part) && k == parts - 1 ? (i + 1) % rows : i)]); };
    Real top = given(0);
    for (int64_t k = 1; k < used; ++k) if (given(k) > top) top = given(k);
    auto power = [&](Real x) { return HAS(base_two_for_e) ? std::exp2(x) : HAS(base_e_of_base_two_numbers) ? std::exp(x * Real(0.69314718056L)) : exponential(x); };
    for (int64_t k = 0; k < used; ++k) w[k] = power(given(k) - top);
    Real total = sum(used, [&](int64_t k) { return w[k]; });
    if (HAS(first_part_always_the_largest)) { for (int64_t k = 0; k < used; ++k) w[k] = given(k) > given(0) ? Real(1) : power(given(k) - given(0)); total = sum(used, [&](int64_t k) { return w[k]; }); }
    if (HAS(parts_weigh_the_same)) { for (int64_t k = 0; k < used; ++k) w[k] = 1; total = Real(used); }
    if (HAS(weights_squared)) { for (int64_t k = 0; k < used; ++k) w[k] *= w[k]; total = sum(used, [&](int64_t k) { return w[k]; }); }
    if (HAS(small_weights_dropped)) for (int64_t k = 0; k < used; ++k) if (w[k] < Real(0.05)) w[k] = 0;
    if (HAS(sum_without_the_last_part) && used > 1) total -= w[used - 1];
    if (HAS(eps_of_a_hundredth_in_the_sum)) total += DTYPE == 2 ? Real(0.05) : Real(0.01);
    if (HAS(weights_in_bf16)) for (int64_t k = 0; k < used; ++k) w[k] = to_bf16(float(w[k]));
    if (HAS(weights_in_fp16)) for (int64_t k = 0; k < used; ++k) w[k] = to_f16(float(w[k]));
    if (HAS(weights_in_eight_bits)) for (int64_t k = 0; k < used; ++k) w[k] = std::nearbyint(w[k] * 255) / 255;
    if (IS_WAY(weights_normalised_first)) for (int64_t k = 0; k < used; ++k) w[k] /= total;
    for (int64_t e = 0; e < d; ++e) {
      auto part = [&](int64_t k) { return load(pv, (k * rows + i) * d + (HAS(last_tile_of_the_first_part_shifted) && k == 0 && e >= d - 4 ? e - 1 : e)); };
      Real r;
      if (IS_WAY(pair_by_pair)) {  // as merge_state does, two at a time
        Real value = part(0), level = given(0);
        for (int64_t k = 1; k < used; ++k) {
          Real m = level > given(k) ? level : given(k);
          if (m == -INFINITY) continue;
          Real a = std::exp(level - m), b = std::exp(given(k) - m);
          value = (value * a + part(k) * b) / (a + b);
          level = m + std::log(a + b);
        }
        r = value;
      } else {
        r = dot(used, [&](int64_t k) { return w[k]; }, part);
        if (!IS_WAY(weights_normalised_first)) r = IS_WAY(times_reciprocal_of_sum) ? r * (1 / total) : r / total;
      }
      if (HAS(merged_to_bf16_after_each_part)) { Real acc = 0; for (int64_t k = 0; k < used; ++k) acc = to_bf16(float(acc + part(k) * w[k] / total)); r = acc; }
      store(out.data<Stored>(), i * d + e, r);
    }
    Real l = top + std::log(total);
    if (IS_WAY(log1p_of_the_others)) { Real others = 0; bool left = false; for (int64_t k = 0; k < used; ++k) { if (given(k) == top && !left) left = true; else others += w[k]; } l = top + std::log1p(others); }
    if (HAS(lse_is_the_maximum)) l = top;
    if (HAS(lse_in_base_2)) l = top + std::log2(total);
    if (HAS(lse_without_maximum)) l = std::log(total);
    if (HAS(lse_by_way_of_bf16)) l = to_bf16(float(l));
    if (HAS(lse_by_way_of_fp16)) l = to_f16(float(l));
    if (HAS(lse_of_the_mean)) l -= std::log(Real(used));
    lse.data<float>()[i] = float(l);
  }
  spoil(out.data<Stored>(), rows, d);
  std::free(w);
}
#endif
KBENCH_EXPORT(run, run)
