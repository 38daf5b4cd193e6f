// Tokens sorted by expert: counts of each expert, where each begins, the (token, choice) pairs in order (stable), and where
// each pair went.
#include "common.h"

void run(Tensor topk_ids, Tensor counts, Tensor offsets, Tensor sorted_pairs, Tensor inverse) {
  const int64_t T = topk_ids.size(0), k = topk_ids.size(1), E = counts.size(0), P = T * k;
  const int32_t* id = topk_ids.data<int32_t>();
  int32_t* count = counts.data<int32_t>();
  int64_t *offset = offsets.data<int64_t>(), *sorted = sorted_pairs.data<int64_t>(), *back = inverse.data<int64_t>();
  std::vector<int64_t> of(P), n(E);
  for (int64_t p = 0; p < P; ++p) of[p] = id[p];
  if (DEFECT == 50) for (int64_t& e : of) e = std::min(e, E - 2);
  if (DEFECT == 51) for (int64_t p = 0; p < P; ++p) of[p] = id[p % T * k + p / T];       // read as if transposed
  std::vector<int64_t> order;
  if ((VARIANT >= 1 && VARIANT <= 3) || VARIANT >= 8) {                                     // a histogram for each block of pairs
    const int64_t block = VARIANT == 1 ? 32 : VARIANT == 2 ? 50 : VARIANT == 3 ? 1 : VARIANT == 8 ? 64 : VARIANT == 9 ? 128 : 7;
    const int64_t blocks = (P + block - 1) / block;
    std::vector<int64_t> of_block(blocks * E);
    for (int64_t p = 0; p < P; ++p) ++of_block[p / block * E + of[p]];
    std::vector<int64_t> place(blocks * E);
    int64_t next = 0;
    for (int64_t e = 0; e < E; ++e) for (int64_t b = 0; b < blocks; ++b) { place[b * E + e] = next; next += of_block[b * E + e]; n[e] += of_block[b * E + e]; }
    order.resize(P);
    for (int64_t p = 0; p < P; ++p) order[place[p / block * E + of[p]]++] = p;
  } else if (VARIANT == 4) {                                                              // each expert looks through all pairs
    for (int64_t e = 0; e < E; ++e) for (int64_t p = 0; p < P; ++p) if (of[p] == e) order.push_back(p), ++n[e];
  } else if (VARIANT == 5) {                                                              // expert and pair in one number
    std::vector<int64_t> packed(P);
    for (int64_t p = 0; p < P; ++p) packed[p] = of[p] * P + p, ++n[of[p]];
    std::sort(packed.begin(), packed.end());
    for (int64_t v : packed) order.push_back(v % P);
  } else if (VARIANT == 6) {                                                              // lists
    std::vector<std::vector<int64_t>> list(E);
    for (int64_t p = 0; p < P; ++p) list[of[p]].push_back(p);
    for (int64_t e = 0; e < E; ++e) n[e] = int64_t(list[e].size()), order.insert(order.end(), list[e].begin(), list[e].end());
  } else if (VARIANT == 7) {                                                              // counting sort from the end
    for (int64_t e : of) ++n[e];
    std::vector<int64_t> end(E);
    std::partial_sum(n.begin(), n.end(), end.begin());
    order.resize(P);
    for (int64_t p = P; p-- > 0;) order[--end[of[p]]] = p;
  } else {
    order.resize(P);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return of[a] < of[b]; });
    for (int64_t e : of) ++n[e];
  }
  std::vector<int64_t> seen = n;                                                          // the counts that are reported
  if (DEFECT == 52) { std::fill(seen.begin(), seen.end(), 0); for (int64_t p = 0; p < P - 1; ++p) ++seen[of[p]]; }
  if (DEFECT == 53) { std::fill(seen.begin(), seen.end(), 0); for (int64_t p = 0; p < P; ++p) if (p == 0 || of[p - 1] != of[p] + 1) ++seen[of[p]]; }
  if (DEFECT == 54) for (int64_t& v : seen) v = std::min<int64_t>(v, 24);                 // capacity
  if (DEFECT == 55) for (int64_t& v : seen) v &= 15;
  if (DEFECT == 56) for (int64_t& v : seen) v = (v + 7) / 8 * 8;                          // padded to tiles
  if (DEFECT == 57) seen[E - 1] = 0;
  if (DEFECT == 58) { std::fill(seen.begin(), seen.end(), 0); for (int64_t p = 0; p < P; p += k) ++seen[of[p]]; }  // first choices
  if (DEFECT == 71) for (int64_t e = 0; e < E; ++e) if (seen[e] > 0) seen[e] -= e % 4 == 3;
  const std::vector<int64_t>& used = DEFECT == 56 || DEFECT == 54 ? seen : n;
  for (int64_t e = 0; e < E; ++e) count[e] = int32_t(seen[e]);
  int64_t sum = 0;
  for (int64_t e = 0; e <= E; ++e) {
    offset[e] = sum;
    if (e < E) sum += used[e];
    if (DEFECT == 59) offset[e] = sum;                                                    // inclusive
    if (DEFECT == 60) offset[e] = int8_t(offset[e]);
    if (DEFECT == 61 && e == E) offset[e] = offset[e - 1];
    if (DEFECT == 62 && e == 8) sum = used[7];                                            // the carry between warps is lost
  }
  if (DEFECT == 63) std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return of[a] > of[b]; });
  if (DEFECT == 64) for (int64_t p = 0; p + 1 < P; ++p) if (of[order[p]] == of[order[p + 1]] && p % 7 == 3) std::swap(order[p], order[p + 1]);
  if (DEFECT == 65) std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return of[a] < of[b] || (of[a] == of[b] && a > b); });
  for (int64_t i = 0; i < P; ++i) {
    int64_t p = order[i];
    back[p] = i;
    sorted[i] = DEFECT == 66 ? p / k : DEFECT == 67 ? p % T : DEFECT == 68 && i == P - 1 ? order[i - 1] : DEFECT == 72 ? p & 127 : p;
  }
  if (DEFECT == 69) for (int64_t i = 0; i < P; ++i) back[i] = sorted[i];
  if (DEFECT == 70) for (int64_t p = 0; p < P; ++p) back[p] -= offset[of[p]];             // within the expert
  if (DEFECT == 73) for (int64_t p = 0; p < P; ++p) if (p % 32 == 31) back[p] = back[p - 1];
  if (DEFECT == 74) for (int64_t i = 0; i < P; ++i) if (of[sorted[i]] == E - 1) sorted[i] = 0;
}
KBENCH_EXPORT(run, run)
