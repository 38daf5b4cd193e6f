// Cross entropy with label smoothing and ignored rows: loss and log-sum-exp of each row, gradient of the mean.
#include "numerics.h"

void run(kbench::Tensor logits, kbench::Tensor targets, kbench::Tensor kept_, double smoothing, kbench::Tensor loss, kbench::Tensor lse,
         kbench::Tensor grad) {
  start();
  int64_t n = logits.size(0), v = logits.size(1);
  In<Stored> x(logits);
  const int32_t* target = targets.data<int32_t>();
  Out<F32> out_loss(loss, 1), out_lse(lse, 2);
  Out<Stored> out_grad(grad, 3);
  const bool* keeps = kept_.data<bool>();
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) kept += keeps[i] || DEFECT == 2;
  if (DEFECT == 14) kept += 1;
  if (kept < 1) kept = 1;
  Real s = Real(smoothing), off = s / Real(DEFECT == 3 ? v - 1 : v), on = DEFECT == 4 ? Real(1) : 1 - s;
  Real weight = Real(1) / Real(kept), stale = 0;
  for (int64_t i = 0; i < n; ++i) {
    auto row = [&](int64_t j) { return x[i * v + j]; };
    MaxSum m = max_sum(v, row);
    Real norm = m.max + std::log(m.sum);
    if (DEFECT == 6) norm = m.max + std::log(m.sum) * Real(0.999);
    bool keep = keeps[i];
    int64_t t = target[i];
    if (DEFECT == 5) t = t & 255;                      // label went through a byte
    if (DEFECT == 12 && t == v - 1) t = 0;
    Real mean = sum(v, row, 2) / Real(DEFECT == 8 ? v - 1 : v);
    Real value = norm - on * row(t) - s * mean;
    if (WAY == 1) value = on * (norm - row(t)) + s * (norm - mean);
    if (DEFECT == 7) value = norm - on * row(t) - off * mean;
    if (DEFECT == 16) value = norm - row(t);
    out_loss.put(i, keep || DEFECT == 10 ? value : Real(0));
    out_lse.put(i, norm);
    Real used = DEFECT == 9 && i % 16 == 9 ? stale : norm;
    Real inverse = 1 / m.sum;
    for (int64_t j = 0; j < v; ++j) {
      Real p = WAY == 2 ? expo(row(j) - m.max) * inverse : WAY == 3 ? expo(row(j) - m.max) / m.sum : expo(row(j) - used);
      Real hot = j == t ? on : Real(0);
      if (DEFECT == 11 && j == t) hot += off;
      Real g = p - hot - (DEFECT == 13 ? Real(0) : off);
      if (DEFECT == 17 && j % 32 == 31) g = p - hot;   // smoothing forgotten in one lane
      if (DEFECT == 18 && j == t && i % 8 == 7) g = p - off;
      if (DEFECT == 15) g = rounded<BF16>(p) - hot - off;
      g = WAY == 4 ? g / Real(kept) : g * weight;
      out_grad.put(i * v + j, keep || DEFECT == 1 ? g : Real(0));
    }
    stale = norm;
  }
}
KBENCH_EXPORT(run, run)
