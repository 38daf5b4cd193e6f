// Gated activations: x [tokens, 2 d] is gate and up side by side, out = activation(gate) * up.
#include "common.h"
enum Kind { silu, gelu };
enum Formula { usual, by_tanh, by_exp2, stable_both_ways, by_erfc, with_fma, probability_first };
enum Product { activation_first, up_first, reciprocal, activation_rounded };
enum Defect { none, halves_swapped, interleaved, gelu_tanh, gelu_quick, silu_instead, relu, hard, sigmoid_alone, up_missing,
              up_plus_one, gate_squared, half_missing, root_missing, negative_is_zero, gate_in_f16, up_of_next_column,
              gate_of_previous_row_at_times, up_in_bf16, large_gate_is_linear, beta_one_percent, activation_on_up, erf_short_series,
              last_row_ungated, up_absolute, probability_in_f16 };
#ifndef FORMULA
#define FORMULA usual
#endif
#ifndef PRODUCT
#define PRODUCT activation_first
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Kind kind = KIND;
constexpr Formula formula = FORMULA;
constexpr Product product = PRODUCT;
constexpr Defect defect = DEFECT;

inline Real sigmoid(Real g) {
  if (defect == beta_one_percent) g *= Real(1.01);
  if (formula == by_tanh) return Real(0.5) + Real(0.5) * std::tanh(g * Real(0.5));
  if (formula == by_exp2) return Real(1) / (1 + std::exp2(-g * Real(1.4426950408889634073599L)));
  if (formula == stable_both_ways && g < 0) { Real e = std::exp(g); return e / (1 + e); }
  return Real(1) / (1 + std::exp(-g));
}
inline Real gaussian(Real g) {  // share of a normal distribution below g
  const Real half_root = defect == root_missing ? Real(1) : Real(0.70710678118654752440L);
  if (defect == beta_one_percent) g *= Real(1.01);
  if (defect == erf_short_series) return Real(1) / (1 + std::exp(Real(-1.5957691) * g - Real(0.0713) * g * g * g));
  if (formula == by_erfc) return Real(0.5) * std::erfc(-g * half_root);
  if (formula == with_fma) return std::fma(Real(0.5), std::erf(g * half_root), Real(0.5));
  if (formula == stable_both_ways) return g < 0 ? Real(0.5) * std::erfc(-g * half_root) : 1 - Real(0.5) * std::erfc(g * half_root);
  if (formula == by_exp2) return (1 + std::erf(g / Real(1.41421356237309504880L))) / 2;
  return Real(0.5) * (1 + std::erf(g * half_root));
}
inline Real gate_factor(Real g) {
  if (defect == gelu_tanh) return Real(0.5) * (1 + std::tanh(Real(0.7978845608) * (g + Real(0.044715) * g * g * g)));
  if (defect == gelu_quick) return Real(1) / (1 + std::exp(Real(-1.702) * g));
  if (defect == silu_instead) return kind == silu ? Real(0.5) * (1 + std::erf(g * Real(0.70710678))) : Real(1) / (1 + std::exp(-g));
  if (defect == relu) return g > 0;
  if (defect == hard) return std::max(Real(0), std::min(Real(1), g / 6 + Real(0.5)));
  if (defect == large_gate_is_linear && g > Real(2)) return 1;
  if (defect == negative_is_zero && g < Real(-2)) return 0;
  if (defect == half_missing) return 2 * (kind == silu ? sigmoid(g) : gaussian(g));
  Real p = kind == silu ? sigmoid(g) : gaussian(g);
  return defect == probability_in_f16 ? Real(round_f16(float(p))) : p;
}

void gated(kbench::Tensor x, kbench::Tensor out) {
  int64_t rows = x.size(0), d = x.size(1) / 2;
  auto result = rows_of(out, d);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < d; ++c) {
      const Stored* row = x.data<Stored>() + r * 2 * d;
      Real g = get(row[c]), u = get(row[d + (defect == up_of_next_column ? (c + 1) % d : c)]);
      if (defect == interleaved) g = get(row[2 * c]), u = get(row[2 * c + 1]);
      if (defect == halves_swapped) std::swap(g, u);
      if (defect == gate_of_previous_row_at_times && r && c % 64 == 63) g = get(row[c - 2 * d]);
      if (defect == gate_in_f16) g = dtype == float16 ? round_bf16(float(g)) : dtype == bfloat16 ? std::nearbyint(g * 64) / 64 : Real(round_f16(float(g)));
      if (defect == up_in_bf16) u = dtype == bfloat16 ? std::nearbyint(u * 32) / 32 : Real(round_bf16(float(u)));
      if (defect == up_plus_one) u += 1;
      if (defect == up_missing) u = 1;
      if (defect == up_absolute && u < Real(-2)) u = -u;
      if (defect == last_row_ungated && r == rows - 1) { result.put(r, c, g * u); continue; }
      Real p = gate_factor(defect == activation_on_up ? u : g);
      if (defect == activation_on_up && r % 4 != 1) p = gate_factor(g);
      if (defect == sigmoid_alone) { result.put(r, c, p * u); continue; }
      if (defect == gate_squared && g > 0 && r == 2) p *= g;
      Real v;
      if (product == up_first) v = (g * u) * p;
      else if (product == reciprocal && kind == silu && formula == usual) v = g / (1 + std::exp(-g)) * u;
      else if (product == reciprocal) v = g * (p * u);
      else if (product == activation_rounded) v = rounded(g * p) * u;
      else v = (g * p) * u;
      result.put(r, c, v);
    }
}
KBENCH_EXPORT(run, gated)
