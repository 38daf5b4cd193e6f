// Log-softmax of each row, and the loss at the row's target.
#include "common.h"
enum Way { two_pass, online, blocks16, blocks64, base_two, merged_halves, subtract_twice };
enum Defect { none, target_one_late, target_of_previous_row, target_of_first_row, loss_positive, loss_in_base_two,
              loss_in_bf16, maximum_missing_in_loss, sum_without_target, log2_result, sum_of_floats_twice, no_rescale,
              softmax_instead, last_class_unseen, classes_padded, log_of_sum_plus_eps, previous_row_sum, loss_of_mean, smoothing,
              logits_in_f16, maximum_counts_twice, probability_rounded_first };
#ifndef WAY
#define WAY two_pass
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

struct State { Real top, sum; };
inline Real power(Real x) { return way == base_two ? std::exp2(x * Real(1.4426950408889634073599L)) : std::exp(x); }
template <class F> State over(F value, int from, int to, int64_t row, bool is_last) {
  Real top = -INFINITY;
  for (int i = from; i < to; ++i) top = std::max(top, value(i));
  return {top, dot<Real>(to - from, [&](int i) { return power(value(from + i) - top); }, one, row, is_last)};
}
inline State merged(State a, State b) {
  Real top = std::max(a.top, b.top);
  Real shrink = defect == no_rescale ? Real(1) : power(a.top - top);
  return {top, a.sum * shrink + b.sum * power(b.top - top)};
}

void run_rows(kbench::Tensor logits, kbench::Tensor targets, kbench::Tensor loss_out, kbench::Tensor out) {
  int64_t rows = logits.size(0);
  int n = int(logits.size(1));
  auto result = rows_of(out, n);
  State before{0, 1};
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int i) {
      Real v = get(logits.data<Stored>()[r * n + i]);
      return defect == logits_in_f16 ? Real(round_f16(float(v))) : v;
    };
    int block = way == online ? 1 : way == blocks16 || defect == no_rescale ? 16 : way == blocks64 ? 64 : way == merged_halves ? (n + 1) / 2 : n;
    State s = over(value, 0, std::min(block, n), r, r == rows - 1);
    for (int t = block; t < n; t += block) s = merged(s, over(value, t, std::min(t + block, n), r, r == rows - 1));
    int64_t target = targets.data<int64_t>()[defect == target_of_previous_row && r ? r - 1 : defect == target_of_first_row && r == rows - 1 ? 0 : r];
    if (defect == target_one_late) target = std::min<int64_t>(target + 1, n - 1);
    if (defect == sum_without_target) s.sum -= power(value(int(target)) - s.top);
    if (defect == last_class_unseen) s.sum -= power(value(n - 1) - s.top);
    if (defect == classes_padded) s.sum += Real(2) * power(-s.top);  // padding to a multiple of 4 with zeros
    if (defect == log_of_sum_plus_eps) s.sum += Real(1e-3);
    if (defect == maximum_counts_twice) s.sum += 1;
    State mine = s;
    if (defect == previous_row_sum && r % 6 == 4) s = before;
    before = mine;
    Real log_sum = way == base_two ? std::log2(s.sum) * Real(0.69314718055994530942L) : std::log(s.sum);
    Real shift = s.top + log_sum;
    for (int c = 0; c < n; ++c) {
      Real v = way == two_pass || way == merged_halves ? value(c) - shift : (value(c) - s.top) - log_sum;
      if (defect == log2_result) v *= Real(1.4426950408889634L);
      if (defect == softmax_instead && r == rows - 1) v = std::exp(v);
      if (defect == probability_rounded_first) v = std::log(Real(round_f16(float(std::exp(v)))));
      result.put(r, c, v);
    }
    Real loss = way == two_pass ? shift - value(int(target)) : log_sum - (value(int(target)) - s.top);
    if (defect == loss_positive) loss = -loss;
    if (defect == loss_in_base_two) loss *= Real(1.4426950408889634L);
    if (defect == loss_in_bf16) loss = round_bf16(float(loss));
    if (defect == maximum_missing_in_loss) loss = log_sum - value(int(target));
    if (defect == loss_of_mean) loss /= Real(rows);
    if (defect == smoothing) loss = loss * Real(0.999) + Real(0.001) * shift;
    loss_out.data<float>()[r] = float(loss);
  }
}
KBENCH_EXPORT(run, run_rows)
