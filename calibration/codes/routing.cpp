// Which experts a token goes to, and with which weights. KIND 0: softmax, the best six, normalised.
// KIND 1: sigmoid; the best six by score + bias in the best three of six groups (the two best of a group count);
// scores normalised, times 2.5.
#include "sums.h"
constexpr int kExperts = 48, kTop = 6, kGroups = 6, kSize = kExperts / kGroups, kGroupsUsed = DEFECT == 16 ? 2 : DEFECT == 27 ? 4 : 3;

// The `count` best of scores, -infinity where taken; ties to the lower index (WAY 2: the higher).
template <class R> void best(const R* scores, int n, int count, int* ids, int64_t row) {
  bool taken[kExperts] = {};
  for (int k = 0; k < count; ++k) {
    int found = -1;
    for (int i = DEFECT == 5 && n == kExperts; i < n - (DEFECT == 4 && n == kExperts); ++i) {
      if (taken[i] || scores[i] == -__builtin_huge_vall()) continue;
      bool higher = found < 0 || scores[i] > scores[found] || (WAY == 2 && scores[i] == scores[found]);
      if (DEFECT == 8) higher = found < 0 || scores[i] < scores[found];
      if (higher) found = i;
    }
    ids[k] = found < 0 ? 0 : found;
    if (!(DEFECT == 12 && row % 8 == 5 && k == 2)) taken[ids[k]] = true;  // taken twice now and then
  }
}
template <class R> R sigmoid(R v) {
  if (WAY == 1) return v < 0 ? exponential(v) / (1 + exponential(v)) : 1 / (1 + exponential(-v));
  if (WAY == 4) return 1 / (1 + power2(R(-1.442695040888963407359924681L) * v));
  if (DEFECT == 11) return 1 / (1 + power2(-v));
  return 1 / (1 + exponential(-v));
}
template <class R> void route(const Stored* logits, const float* bias, int64_t row, int64_t rows, float* weights, int32_t* out) {
  R x[kExperts], scores[kExperts], chosen_by[kExperts];
  for (int e = 0; e < kExperts; ++e) {
    x[e] = get(logits[e]);
    if (DEFECT == 21) x[e] *= R(1.01);
    if (DEFECT == 25) x[e] = R(kE4M3.round(x[e]));
    if (DEFECT == 28) x[e] = R(through_brain(x[e]));
  }
  bool by_softmax = (KIND == 0) != (DEFECT == 20);
  if (by_softmax) {
    R most = x[0];
    for (int e = 1; e < kExperts; ++e) most = larger(most, x[e]);
    auto power = [&](int e) -> R {
      if (DEFECT == 11) return power2(x[e] - most);
      return WAY == 4 ? power2((x[e] - most) * R(1.442695040888963407359924681L)) : exponential(x[e] - most);
    };
    R sum = total<R>(kExperts, row, power);
    for (int e = 0; e < kExperts; ++e) scores[e] = WAY == 5 ? power(e) * (1 / sum) : power(e) / sum;
  } else {
    for (int e = 0; e < kExperts; ++e) scores[e] = sigmoid(x[e]);
  }
  for (int e = 0; e < kExperts; ++e) chosen_by[e] = KIND == 1 && DEFECT != 14 ? scores[e] + (DEFECT == 29 ? -R(bias[e]) : R(bias[DEFECT == 30 && e % 8 == 7 ? e - 1 : e])) : scores[e];
  if (WAY == 3 && KIND == 0) for (int e = 0; e < kExperts; ++e) chosen_by[e] = x[e];  // by the logits
  int ids[kTop + 1];
  if (KIND == 1 && DEFECT != 31) {
    R of_group[kGroups];
    for (int g = 0; g < kGroups; ++g) {
      R first = -__builtin_huge_vall(), second = first;
      for (int i = 0; i < kSize; ++i) {
        R v = chosen_by[DEFECT == 17 ? i * kGroups + g : g * kSize + i];
        if (DEFECT == 32 && i == kSize - 1) continue;
        if (v > first) second = first, first = v;
        else if (v > second) second = v;
      }
      of_group[g] = DEFECT == 15 ? first : DEFECT == 33 ? first + first : first + second;
    }
    int groups[kGroups];
    best(of_group, kGroups, kGroupsUsed, groups, 0);
    for (int e = 0; e < kExperts; ++e) {
      bool used = false;
      for (int k = 0; k < kGroupsUsed; ++k) used |= groups[k] == (DEFECT == 17 ? e % kGroups : e / kSize);
      if (!used) chosen_by[e] = DEFECT == 23 ? R(0) : -R(__builtin_huge_vall());
    }
  }
  best(chosen_by, kExperts, kTop + (DEFECT == 1), ids, row);
  if (DEFECT == 1) ids[kTop - 1] = ids[kTop];
  auto score = [&](int64_t k) -> R { return DEFECT == 13 ? chosen_by[ids[k]] : scores[ids[k]]; };
  R sum = total<R>(kTop, rows + row, score);
  if (WAY == 6 && KIND == 0) {  // softmax of the chosen logits alone
    sum = 0;
    for (int k = 0; k < kTop; ++k) sum += exponential(x[ids[k]] - x[ids[0]]);
  }
  if (DEFECT == 7) sum += R(1e-2L);
  for (int k = 0; k < kTop; ++k) {
    R w = DEFECT == 2 ? score(k) : WAY == 7 ? score(k) * (1 / sum) : score(k) / sum;
    if (WAY == 6 && KIND == 0) w = exponential(x[ids[k]] - x[ids[0]]) / sum;
    if (KIND == 1 && DEFECT != 18) w *= R(2.5L);
    if (DEFECT == 9) w = R(through_brain(w));
    if (DEFECT == 34 && k == kTop - 1) w = 0;
    if (DEFECT == 26 && row % 8 == 7) w = score(k);
    int id = ids[DEFECT == 10 && row % 4 == 1 && k < 2 ? 1 - k : k];
    if (DEFECT == 3) id += 1;
    if (DEFECT == 35) id = id / kSize * kSize + (id + 1) % kSize;
    if (DEFECT == 36 && id >= 32) id -= 32;  // ids of 5 bits
    store_float(weights, row, k, rows, kTop, w);
    out[row * kTop + k] = id;
  }
}
static void all_tokens(Tensor logits, const float* bias, Tensor weights, Tensor ids) {
  int64_t rows = logits.size(0);
  for (int64_t t = 0; t < rows; ++t) {
    int64_t from = DEFECT == 24 && t == rows - 1 ? t - 1 : t;
    route<real>(logits.data<Stored>() + from * kExperts, bias, t, rows, weights.data<float>(), ids.data<int32_t>());
  }
}
#if KIND == 0
void kernel(Tensor logits, Tensor weights, Tensor ids) { all_tokens(logits, nullptr, weights, ids); }
#else
void kernel(Tensor logits, Tensor bias, Tensor weights, Tensor ids) { all_tokens(logits, bias.data<float>(), weights, ids); }
#endif
KBENCH_EXPORT(run, kernel)
