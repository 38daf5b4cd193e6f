// Filters of a sampler: repetition penalty, temperature, softmax, top-p; which tokens are kept, and their
// probabilities normalised.
#include "sums.h"
constexpr int kMost = 256;

template <class R> R power(R v) {
  if (DEFECT == 1) return power2(v);  // log2(e) is missing
  return WAY == 1 ? power2(v * R(1.442695040888963407359924681L)) : exponential(v);
}
template <class R> void sample(Tensor logits, const bool* seen, const float* temperatures, double penalty, double top_p, Tensor kept, Tensor probs) {
  int64_t rows = logits.size(0), n = logits.size(1);
  for (int64_t b = 0; b < rows; ++b) {
    R x[kMost], p[kMost], most = -R(__builtin_huge_vall()), strength = R(float(penalty));
    int order[kMost];
    for (int64_t i = 0; i < n; ++i) {
      R v = get(logits.data<Stored>()[b * n + i]);
      bool marked = seen[(DEFECT == 2 && b % 8 == 7 ? b - 1 : b) * n + (DEFECT == 3 ? (i + 1) % n : i)];
      if (DEFECT == 4) marked = !marked;
      if (DEFECT == 5 && i == n - 1) marked = false;
      if (DEFECT == 6) marked = false;
      if (marked) {
        if (DEFECT == 7) v = v / strength;
        else if (DEFECT == 8) v = v * strength;
        else if (DEFECT == 9) v = v - strength;
        else if (DEFECT == 10) v = v > 0 ? v * strength : v / strength;
        else v = v > 0 ? (WAY == 2 ? v * (1 / strength) : v / strength) : v * strength;
      }
      R t = temperatures[DEFECT == 11 && b % 8 == 3 ? b - 1 : b];
      if (DEFECT == 12) t = 1;
      if (DEFECT == 13) t = 1 / t;
      if (DEFECT == 14) t = larger(t, R(1));
      if (DEFECT == 15) t = R(through_brain(t));
      x[i] = WAY == 2 ? v * (1 / t) : v / t;
      if (DEFECT == 16) x[i] = R(through_half(x[i]));
      most = larger(most, x[i]);
    }
    R sum = total<R>(n, b, [&](int64_t i) { return power(x[i] - most); });
    for (int64_t i = 0; i < n; ++i) {
      p[i] = WAY == 3 ? power(x[i] - most) * (1 / sum) : power(x[i] - most) / sum;
      order[i] = int(i);
    }
    for (int64_t i = 1; i < n; ++i) {  // descending, ties to the lower index (WAY 4: the higher)
      int o = order[i];
      int64_t at = i;
      while (at > 0 && (p[order[at - 1]] < p[o] || (WAY == 4 && p[order[at - 1]] == p[o]))) order[at] = order[at - 1], --at;
      order[at] = o;
    }
    if (DEFECT == 17) for (int64_t i = 0; i < n / 2; ++i) { int o = order[i]; order[i] = order[n - 1 - i]; order[n - 1 - i] = o; }
    bool keep[kMost] = {};
    R before = 0, limit = R(float(top_p));
    if (DEFECT == 18) limit = 1 - limit;
    if (DEFECT == 19) limit *= R(1.02);
    for (int64_t k = 0; k < n; ++k) {
      R now = p[order[k]];
      if (WAY == 5) {  // the sum of all that are more likely, anew
        before = 0;
        for (int64_t l = k; l-- > 0;) before += p[order[l]];
      }
      bool inside = DEFECT == 20 ? before + now < limit : DEFECT == 21 && k > 0 ? before - p[order[k - 1]] < limit : before < limit;
      if (DEFECT == 22 && k >= 32) inside = false;
      if (DEFECT == 23) inside = now > (1 - limit) * p[order[0]];  // min-p
      keep[order[k]] = inside;
      before += now;
      if (DEFECT == 24) before = R(through_brain(before));
    }
    if (DEFECT == 25) keep[0] = true;
    if (DEFECT == 26) keep[n - 1] = false;
    R all = total<R>(n, rows + b, [&](int64_t i) -> R { return keep[i] ? p[i] : R(0); });
    if (DEFECT == 27) all = 1;
    for (int64_t i = 0; i < n; ++i) {
      kept.data<bool>()[b * n + i] = DEFECT == 28 ? !keep[i] : keep[i];
      R v = keep[i] ? (WAY == 3 ? p[i] * (1 / all) : p[i] / all) : R(0);
      if (DEFECT == 29 && !keep[i]) v = p[i];
      store_float(probs.data<float>(), b, i, rows, n, v);
    }
  }
}
void kernel(Tensor logits, Tensor seen, Tensor temperatures, double penalty, double top_p, Tensor kept, Tensor probs) {
  sample<real>(logits, seen.data<bool>(), temperatures.data<float>(), penalty, top_p, kept, probs);
}
KBENCH_EXPORT(run, kernel)
