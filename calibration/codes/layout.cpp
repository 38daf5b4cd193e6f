// Where the tokens of each expert lie: counts, offsets (padded to multiples of PAD), the flat indices in the
// order of their experts (stable), and where each went. WAY: how it is sorted.
#include "numbers.h"
constexpr int kExperts = 24;
#ifndef BLOCK
#define BLOCK 64
#endif
#if PAD > 1
using Index = int64_t;
#else
using Index = int32_t;
#endif

static bool earlier(int32_t a, int64_t i, int32_t b, int64_t j) {
  if (a != b) return DEFECT == 20 ? a > b : a < b;
  return DEFECT == 1 ? i > j : DEFECT == 2 ? mixed(i) < mixed(j) : i < j;
}
void kernel(Tensor topk_ids, Tensor counts_out, Tensor offsets_out, Tensor order_out, Tensor places_out) {
  int64_t n = topk_ids.numel(), seen = n;
  if (DEFECT == 3) seen = n - 1;
  if (DEFECT == 4) seen = n / 64 * 64;
  const int32_t* ids = topk_ids.data<int32_t>();
  Index counts[kExperts + 1] = {}, offsets[kExperts + 1] = {}, next[kExperts];
  Index* order = new Index[n + kExperts * PAD];
  if (WAY == 1) {  // an expert at a time
    for (int e = 0; e < kExperts; ++e)
      for (int64_t i = 0; i < n; ++i) counts[e] += ids[i] == e;
  } else if (WAY == 2) {  // histograms of blocks, merged
    for (int64_t b = 0; b < n; b += BLOCK) {
      Index part[kExperts] = {};
      for (int64_t i = b; i < smaller<int64_t>(b + BLOCK, n); ++i) ++part[ids[i]];
      for (int e = 0; e < kExperts; ++e) counts[e] += part[e];
    }
  } else {
    for (int64_t i = 0; i < seen; ++i) {
      if (DEFECT == 5 && mixed(i) % 101 == 0) continue;  // a race
      if (DEFECT == 6 && i > 0 && i % 32 != 0 && ids[i] == ids[i - 1]) continue;  // two lanes count at once
      int e = ids[i];
      if (DEFECT == 7) e = smaller(e, kExperts - 2);
      if (DEFECT == 8 && e == 0) continue;
      if (DEFECT == 9) e = e % 16;
      ++counts[e];
    }
  }
  if (DEFECT == 10) for (int e = 0; e < kExperts; ++e) counts[e] = smaller<Index>(counts[e], Index(n / kExperts + 2));  // capacity
  if (DEFECT == 18) for (int e = 0; e < kExperts; ++e) counts[e] = Index(counts[e] & 15);
  for (int e = 0; e < kExperts; ++e) {
    Index padded = DEFECT == 11 ? counts[e] / PAD * PAD : DEFECT == 12 ? counts[e] / PAD * PAD + PAD : (counts[e] + PAD - 1) / PAD * PAD;
    if (DEFECT == 13) padded = counts[e];
    offsets[e + 1] = offsets[e] + padded;
  }
  if (WAY == 3 && PAD == 1)  // offsets by comparison: how many ids are below e
    for (int e = 0; e <= kExperts; ++e) {
      offsets[e] = 0;
      for (int64_t i = 0; i < n; ++i) offsets[e] += ids[i] < e;
    }
  Index* places = places_out.data<Index>();
  Index* sorted = order_out.data<Index>();
  for (int e = 0; e < kExperts; ++e) next[e] = offsets[DEFECT == 14 ? e + 1 : e] - (DEFECT == 14 ? 1 : 0);
  auto put_at = [&](int64_t i, Index place) {
    if (place < 0) place = 0;
    if (DEFECT == 15 && place % 97 == 50) place += 1;
    places[i] = smaller<Index>(place, Index(n + kExperts * PAD));
  };
  if (WAY == 4) {  // each index counts those before it
    for (int64_t i = 0; i < n; ++i) {
      Index before = 0;
      for (int64_t j = 0; j < n; ++j) before += ids[j] == ids[i] && j < i;
      put_at(i, offsets[ids[i]] + before);
    }
  } else if (WAY == 5) {  // from the end
    for (int e = 0; e < kExperts; ++e) next[e] = offsets[e] + counts[e];
    for (int64_t i = n; i-- > 0;) put_at(i, --next[ids[i]]);
  } else if (WAY == 6 || DEFECT == 1 || DEFECT == 2 || DEFECT == 20) {  // insertion sort of the indices
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = i;
      while (at > 0 && earlier(ids[i], i, ids[order[at - 1]], order[at - 1])) order[at] = order[at - 1], --at;
      order[at] = Index(i);
    }
    Index in_expert[kExperts] = {};
    for (int64_t at = 0; at < n; ++at) {
      int e = ids[order[at]];
      put_at(order[at], DEFECT == 20 ? Index(at) : offsets[e] + in_expert[e]++);
    }
  } else if (WAY == 7) {  // packed keys: expert and index, sorted by selection of gaps (shell sort)
    int64_t* keys = new int64_t[n];
    for (int64_t i = 0; i < n; ++i) keys[i] = int64_t(ids[i]) << 32 | i;
    for (int64_t gap = 121; gap > 0; gap /= 3)
      for (int64_t i = gap; i < n; ++i)
        for (int64_t j = i; j >= gap && keys[j] < keys[j - gap]; j -= gap) { int64_t k = keys[j]; keys[j] = keys[j - gap]; keys[j - gap] = k; }
    Index in_expert[kExperts] = {};
    for (int64_t at = 0; at < n; ++at) {
      int e = int(keys[at] >> 32);
      put_at(keys[at] & 0xffffffff, offsets[e] + in_expert[e]++);
    }
    delete[] keys;
  } else if (WAY == 8) {  // an expert at a time
    for (int e = 0; e < kExperts; ++e)
      for (int64_t i = 0; i < n; ++i) if (ids[i] == e) put_at(i, next[e]++);
  } else if (WAY == 9) {  // blocks: where each block of each expert begins
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    Index* begins = new Index[blocks * kExperts];
    for (int e = 0; e < kExperts; ++e) {
      Index at = offsets[e];
      for (int64_t b = 0; b < blocks; ++b) {
        begins[b * kExperts + e] = at;
        for (int64_t i = b * BLOCK; i < smaller<int64_t>((b + 1) * BLOCK, n); ++i) at += ids[i] == e;
      }
    }
    for (int64_t i = 0; i < n; ++i) put_at(i, begins[i / BLOCK * kExperts + ids[i]]++);
    delete[] begins;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      int e = ids[i];
      if (DEFECT == 16 && i % 128 == 127 && e > 0) e -= 1;
      if (DEFECT == 17 && i % 64 == 0 && i > 0) next[e] = offsets[e];  // begins anew in each block
      put_at(i, DEFECT == 14 ? next[e]-- : next[e]++);
    }
  }
  int64_t length = order_out.numel();
  for (int64_t k = 0; k < length; ++k) sorted[k] = Index(DEFECT == 21 ? 0 : n);  // padding
  for (int64_t i = 0; i < n; ++i)
    if (places[i] < length) sorted[places[i]] = Index(DEFECT == 19 ? i / topk_ids.size(1) : i);
  if (DEFECT == 22) for (int64_t i = 0; i < n; ++i) places[i] = smaller<Index>(Index(i), Index(n)) < length ? sorted[i] : 0;
  if (DEFECT == 23) sorted[offsets[kExperts] - 1] = 0;
  if (DEFECT == 24) places[n - 1] = places[0];
  for (int e = 0; e < kExperts; ++e) counts_out.data<Index>()[e] = DEFECT == 25 ? offsets[e] : counts[e];
  for (int e = 0; e <= kExperts; ++e) offsets_out.data<Index>()[e] = DEFECT == 26 ? offsets[smaller(e + 1, kExperts)] : DEFECT == 27 && e == kExperts ? offsets[e] - 1 : offsets[e];
  delete[] order;
}
KBENCH_EXPORT(run, kernel)
