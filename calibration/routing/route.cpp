// Which experts a token goes to, and with what weights. SIGMOID 0: the softmax of the logits, its k largest as they are.
// SIGMOID 1: the sigmoid plus a bias chooses (of GROUPS groups the 2 with the best two sums, if GROUPS > 1), the sigmoid
// alone weighs, renormalised and scaled. Outputs: weights and ids, by falling score; tokens of each expert.
#include "common.h"
#ifndef SIGMOID
#define SIGMOID 0
#endif
#ifndef GROUPS
#define GROUPS 1
#endif

static Real sigmoid(Real x) {
  if (VARIANT == 3) return Real(0.5) * (1 + std::tanh(x / 2));
  if (VARIANT == 4 && x < 0) { Real e = std::exp(x); return e / (1 + e); }
  return 1 / (1 + std::exp(-x));
}

static void body(Tensor logits, const float* bias, Real scaling, Tensor weights, Tensor ids, Tensor counts) {
  start();
  const int64_t T = logits.size(0), E = logits.size(1), k = ids.size(1);
  const std::vector<float> x = load(logits);
  float* weight = weights.data<float>();
  int32_t *id = ids.data<int32_t>(), *count = counts.data<int32_t>();
  std::fill(count, count + E, 0);
  for (int64_t t = 0; t < T; ++t) {
    const float* row = &x[t * E];
    std::vector<Real> score(E), choose(E);  // what weighs and what chooses
    if (!SIGMOID) {
      Real top = *std::max_element(row, row + E);
      auto power = [&](int64_t e) -> Real {
        Real z = Real(row[e]) - top;
        if (DEFECT == 50) z *= Real(1.02);
        return VARIANT == 1 ? std::exp2(z * Real(1.44269504088896340736L)) : DEFECT == 51 ? std::exp2(z) : std::exp(z);
      };
      Real total = sum_of(E, power);
      if (VARIANT == 2) {  // online: the sum is rescaled where the maximum rises
        Real m = -INFINITY, s = 0;
        for (int64_t e = 0; e < E; ++e) { Real n = std::max(m, Real(row[e])); s = s * std::exp(m - n) + std::exp(row[e] - n); m = n; }
        total = s;
      }
      for (int64_t e = 0; e < E; ++e) score[e] = VARIANT == 3 ? power(e) * (1 / total) : power(e) / total;
    } else {
      for (int64_t e = 0; e < E; ++e) score[e] = sigmoid(row[e]);
      if (DEFECT == 52) for (Real& s : score) s = std::clamp(s, Real(0.1), Real(0.9));
      if (DEFECT == 53) for (int64_t e = 0; e < E; ++e) score[e] = std::clamp((row[e] + 3) / 6, 0.f, 1.f);  // hard sigmoid
    }
    choose = score;
    for (int64_t e = 0; e < E; ++e) if (bias && DEFECT != 54) choose[e] += bias[DEFECT == 55 ? (e + 1) % E : e];
    if (DEFECT == 56) score = choose;                                  // the bias weighs too
    if (DEFECT == 57) for (Real& s : choose) s = as_bf16(s);           // chosen by rounded scores
    if (DEFECT == 58) choose[E - 1] = -1e30f;                          // the last expert is out of bounds
    if (DEFECT == 59 && t % 8 == 7) choose[0] = -1e30f;
    if (GROUPS > 1) {
      const int64_t size = E / GROUPS;
      std::vector<std::pair<Real, int64_t>> best(GROUPS);
      for (int64_t g = 0; g < GROUPS; ++g) {
        std::vector<Real> of(choose.begin() + g * size, choose.begin() + (g + 1) * size);
        std::sort(of.rbegin(), of.rend());
        best[g] = {DEFECT == 60 ? of[0] : DEFECT == 61 ? of[0] + of[1] + of[2] : of[0] + of[1], -g};
      }
      std::sort(best.rbegin(), best.rend());
      const int64_t taken = DEFECT == 62 ? 1 : DEFECT == 63 ? GROUPS : DEFECT == 64 ? 3 : 2;
      for (int64_t r = taken; r < GROUPS; ++r)
        for (int64_t e = 0; e < size; ++e) choose[-best[r].second * size + e] = DEFECT == 65 ? 0 : -std::numeric_limits<Real>::infinity();
    }
    std::vector<int64_t> order(E);
    std::iota(order.begin(), order.end(), 0);
    if (VARIANT == 5) std::reverse(order.begin(), order.end());         // ties the other way
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return choose[a] > choose[b]; });
    if (DEFECT == 66) order.erase(order.begin() + k - 1);               // the last choice is one too far
    if (DEFECT == 67 && t % 16 == 5) std::swap(order[1], order[2]);
    if (DEFECT == 68) std::sort(order.begin(), order.begin() + k);
    auto chosen = [&](int64_t j) -> Real { return score[order[j]]; };
    Real total = SIGMOID ? sum_of(k, chosen) : Real(1);
    if (DEFECT == 69) total = SIGMOID ? Real(1) : in_order(0, k, chosen);
    if (DEFECT == 70) total -= chosen(k - 1);
    if (DEFECT == 71) total += Real(0.01);
    if (DEFECT == 72) { total = 0; for (int64_t e = 0; e < E; ++e) total += score[e]; }
    Real s = DEFECT == 73 ? 1 : scaling;
    for (int64_t j = 0; j < k; ++j) {
      Real w = VARIANT == 3 || VARIANT == 1 ? chosen(j) * (s / total) : chosen(j) / total * s;
      if (DEFECT == 20) w *= Real(1.001);
      if (DEFECT == 21) w *= Real(1.005);
      if (DEFECT == 24) w = as_bf16(w);
      if (DEFECT == 25) w = as_f16(w);
      if (DEFECT == 74 && j == k - 1) w = 0;
      if (DEFECT == 75 && t % 32 == 31) w = weight[(t - 1) * k + j];
      weight[t * k + j] = float(w);
      id[t * k + j] = int32_t(order[j]);
      if (DEFECT == 76 && t % 32 == 31 && j == 0) continue;             // a lost increment
      if (DEFECT == 77 && j == k - 1) continue;
      if (DEFECT == 78 && count[order[j]] == 7) continue;               // a counter of 3 bits
      ++count[order[j]];
    }
  }
  if (DEFECT == 79) for (int64_t e = 1; e < E; ++e) count[e] += count[e - 1];
}
#if SIGMOID
void run(Tensor logits, Tensor bias, double scaling, Tensor weights, Tensor ids, Tensor counts) {
  body(logits, bias.data<float>(), Real(scaling), weights, ids, counts);
}
#else
void run(Tensor logits, Tensor weights, Tensor ids, Tensor counts) { body(logits, nullptr, 1, weights, ids, counts); }
#endif
KBENCH_EXPORT(run, run)
