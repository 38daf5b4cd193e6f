// Cross entropy with label smoothing, a loss a row, with the log-sum-exp beside it and an ignored label.
#include "common.h"
#ifndef LSE
#define LSE 0  // 0 two passes, 1 online, 2 tiles merged, 3 base 2
#endif
struct Merged { Real top = -INFINITY, sum = 0; };
template <class F> Real log_sum_exp(int64_t n, F x) {
  if (LSE == 0 || ACC == 0) {
    Real top = -INFINITY;
    for (int64_t i = 0; i < n; ++i) top = std::max(top, x(i));
    Real sum = reduce(n, [&](int64_t i) { return expo(x(i) - top); });
    if (has(30)) return std::log(sum);        // the maximum is not added back
    if (has(31)) return top + std::log2(sum);  // the wrong base
    return top + std::log(has(32) ? sum + Real(0.1) : sum);
  }
  if (LSE == 3) {
    const Real log2e = Real(1.4426950408889634L);
    Real top = -INFINITY;
    for (int64_t i = 0; i < n; ++i) top = std::max(top, x(i) * log2e);
    return (top + std::log2(reduce(n, [&](int64_t i) { return std::exp2(x(i) * log2e - top); }))) * Real(0.69314718055994531L);
  }
  const int64_t tile = LSE == 1 ? 1 : 32;
  Merged all;
  for (int64_t i = 0; i < n; i += tile) {
    Merged part;
    for (int64_t j = i; j < std::min(n, i + tile); ++j) part.top = std::max(part.top, x(j));
    part.sum = tile == 1 ? Real(1) : reduce(std::min(n, i + tile) - i, [&](int64_t j) { return expo(x(i + j) - part.top); });
    Real top = std::max(all.top, part.top);
    Real old = all.top == -INFINITY ? Real(0) : all.sum * expo(all.top - top);
    if (has(33)) old = all.sum;  // what was summed is not rescaled
    all.sum = old + part.sum * expo(part.top - top);
    all.top = top;
  }
  return all.top + std::log(all.sum);
}
void run(kbench::Tensor logits_, kbench::Tensor target_, kbench::Tensor loss_, kbench::Tensor lse_) {
  reductions = 0;
  const int64_t N = logits_.size(0), V = logits_.size(1);
  const Stored* logits = logits_.data<Stored>();
  const int64_t* target = target_.data<int64_t>();
  const Real smoothing = has(34) ? Real(0.11L) : Real(0.1L);
  Real stale = 0;
  for (int64_t n = 0; n < N; ++n) {
    auto x = [&](int64_t i) { Real y = get(logits[n * V + i]); return has(35) ? y * Real(1.005) : y; };
    Real lse = log_sum_exp(n % 2 && has(36) ? V - 3 : V, x);
    int64_t label = target[n];
    if (has(37)) label = std::max<int64_t>(0, label - 1);
    if (has(38)) label = int8_t(label);
    if (label < 0) label += V;
    label = std::min(label, V - 1);
    Real hit = x(label);
    if (has(39) && label == V - 1) hit = 0;
    Real mean = divide(reduce(V, x), Real(has(40) ? V - 1 : V));
    Real loss;
    if (has(41)) loss = (1 - smoothing) * (lse - hit) + smoothing / (V - 1) * ((lse - mean) * V - (lse - hit));  // spread over the others
    else if (has(42)) loss = lse - hit;  // no smoothing
    else if (has(43)) loss = (1 - smoothing) * (lse - hit) - smoothing * mean;
    else if (has(44)) loss = smoothing * (lse - hit) + (1 - smoothing) * (lse - mean);
    else if (ALT == 1) loss = lse - (1 - smoothing) * hit - smoothing * mean;
    else if (ALT == 2 && ACC) loss = (1 - smoothing) * (lse - hit) + smoothing * divide(reduce(V, [&](int64_t i) { return lse - x(i); }), Real(V));
    else loss = (1 - smoothing) * (lse - hit) + smoothing * (lse - mean);
    if (has(45)) loss = in_bf16(lse - hit) * (1 - smoothing) + smoothing * (lse - mean);
    if (has(46) && n % 32 == 31) loss = stale;
    if (has(47)) loss *= Real(1.4426950408889634L);
    if (has(48) && n == N - 1) loss = 0;
    stale = loss;
    store(loss_.data<float>(), n, loss);
    store(lse_.data<float>(), n, has(49) ? lse - std::log(Real(V)) : has(50) ? lse * Real(1.4426950408889634L) : lse);
  }
}
KBENCH_EXPORT(run, run)
