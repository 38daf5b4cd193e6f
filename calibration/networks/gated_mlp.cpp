// out = (act(x Wg' s) * (x Wu' s)) Wd' s, or without the last product; s scales the products. ACT: 0 relu squared, 1 silu, 2 gelu.
#include "common.h"

static Real activation(Real x) {
  if (HAS(relu_without_square)) return x > 0 ? x : Real(0);
  if (HAS(square_of_the_negative_too)) return x * x;
  if (HAS(gelu_for_silu)) return x * Real(0.5) * std::erfc(-x * Real(0.70710678118654752440L));
  if (HAS(hard_silu)) { Real t = (x + 3) / 6; return x * (t < 0 ? Real(0) : t > 1 ? Real(1) : t); }
  if (HAS(silu_of_1_702)) return x / (1 + std::exp(Real(-1.702) * x));
  if (HAS(silu_for_gelu)) return x / (1 + std::exp(-x));
  if (HAS(relu_for_the_activation)) return x > 0 ? x : Real(0);
  if (HAS(tanh_gelu_for_gelu)) return x / 2 * (1 + std::tanh(Real(0.7978845608028654L) * (x + Real(0.044715) * x * x * x)));
  if (HAS(activation_in_bf16)) x = to_bf16(float(x));
  if (HAS(activation_in_fp16)) x = to_f16(float(x));
  if (HAS(negative_gates_cut_at_minus_two) && x < -2) return 0;
#if ACT == 0
  return x > 0 ? x * x : Real(0);
#elif ACT == 1
  return IS_WAY(silu_by_division) ? x / (1 + std::exp(-x)) : x * sigmoid(x);
#else
  if (IS_WAY(gelu_by_erf)) return x * Real(0.5) * (1 + std::erf(x * Real(0.70710678118654752440L)));
  return x * Real(0.5) * std::erfc(-x * Real(0.70710678118654752440L));
#endif
}

void run(kbench::Tensor x, kbench::Tensor w_gate_up, kbench::Tensor w_down, kbench::Tensor out) {
  reductions = 0;
  int64_t rows = x.size(0), k = x.size(1), n = w_gate_up.size(0) / 2, m = w_down.size(0);
  const Stored *px = x.data<Stored>(), *first = w_gate_up.data<Stored>(), *down = w_down.data<Stored>();
  Real* hidden = buffer(n);
  Real scale = Real(0.125);
  if (HAS(scale_of_the_gate_one_percent_large)) scale *= DTYPE == 2 ? Real(1.03) : Real(1.01);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      auto product = [&](int64_t row, int64_t column) {
        return dot(k, [&](int64_t e) { return load(px, row * k + e); }, [&](int64_t e) { return load(first, column * k + e); }) * scale;
      };
      int64_t gate_row = HAS(gate_of_the_previous_row_in_the_last_tile) && i >= rows - 2 ? i - 1 : i;
      int64_t gate_column = j, up_column = n + j;
      if (HAS(gate_and_up_swapped)) { gate_column = n + j; up_column = j; }
      if (HAS(gate_and_up_interleaved)) { gate_column = 2 * j; up_column = 2 * j + 1; }
      if (HAS(up_one_column_off)) up_column = n + (j + 1) % n;
      Real gate = product(gate_row, gate_column), up = product(i, up_column);
      if (IS_WAY(products_rounded) || IS_WAY(all_intermediates_rounded)) { gate = rounded(gate); up = rounded(up); }
      if (HAS(up_missing)) up = 1;
      if (HAS(up_clamped_at_two)) up = up > 2 ? Real(2) : up < -2 ? Real(-2) : up;
      Real act = activation(gate);
      if (IS_WAY(all_intermediates_rounded) || IS_WAY(activation_rounded)) act = rounded(act);
      if (HAS(activation_of_the_product)) hidden[j] = activation(gate * up);
      else if (HAS(activation_of_up_as_well)) hidden[j] = act * activation(up);
      else hidden[j] = act * up;
      if (IS_WAY(all_intermediates_rounded) || IS_WAY(hidden_rounded)) hidden[j] = rounded(hidden[j]);
      if (HAS(hidden_in_bf16)) hidden[j] = to_bf16(float(hidden[j]));
      if (HAS(hidden_in_tf32)) hidden[j] = to_tf32(float(hidden[j]));
      if (HAS(hidden_in_eight_bits)) hidden[j] = std::nearbyint(hidden[j] * 16) / 16;
    }
    for (int64_t o = 0; o < m; ++o) {
      auto part = [&](int64_t e) { return hidden[HAS(last_hidden_read_for_the_last_but_one) && e == n - 2 ? n - 1 : e]; };
      auto weight = [&](int64_t e) { return load(down, HAS(down_weights_shifted_in_the_last_column) && o == m - 1 ? (o - 1) * n + e + 1 : o * n + e); };
      if (IS_WAY(scale_folded_into_down)) store(out.data<Stored>(), i * m + o, dot(n, part, [&](int64_t e) { return weight(e) * Real(0.125); }));
      else store(out.data<Stored>(), i * m + o, dot(n, part, weight) * (HAS(down_scale_missing) ? Real(1) : Real(0.125)));
    }
  }
  spoil(out.data<Stored>(), rows, m);
  std::free(hidden);
}
KBENCH_EXPORT(run, run)
