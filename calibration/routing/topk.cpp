// The k largest of each row, falling, and where they stand (int64).
#include "common.h"

void run(Tensor x, Tensor values, Tensor indices) {
  const int64_t T = x.size(0), V = x.size(1), k = values.size(1);
  const std::vector<float> all = load(x);
  Stored* value = values.data<Stored>();
  int64_t* index = indices.data<int64_t>();
  for (int64_t t = 0; t < T; ++t) {
    std::vector<float> row(all.begin() + t * V, all.begin() + (t + 1) * V), plain = row;
    if (DEFECT == 50) row[V - 1] = -1e30f;
    if (DEFECT == 51) row[0] = -1e30f;
    if (DEFECT == 52) for (int64_t i = V - V % 64; i < V; ++i) row[i] = -1e30f;
    if (DEFECT == 53) for (float& v : row) v = as_bf16(as_bf16(v) * 4) / 4;
    if (DEFECT == 54) for (float& v : row) v = std::fabs(v);
    if (DEFECT == 55) for (float& v : row) v = -v;                       // the smallest
    if (DEFECT == 56) for (float& v : row) v = std::fabs(v) > 2 ? float(keep_bits(v, 5, -126)) : v;
    if (DEFECT == 57) for (int64_t i = 0; i < V; ++i) if (i % 32 == 31) row[i] = -1e30f;
    if (DEFECT == 58 && t % 8 == 7) for (int64_t i = V / 2; i < V; ++i) row[i] = -1e30f;
    std::vector<int64_t> order(V);
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) { return row[a] > row[b]; };
    auto first_wins = [&](int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); };
    auto last_wins = [&](int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a > b); };
    if (VARIANT == 1) std::sort(order.begin(), order.end(), last_wins);
    else if (VARIANT == 2) std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
    else if (VARIANT == 3) { std::nth_element(order.begin(), order.begin() + k, order.end(), first_wins); std::sort(order.begin(), order.begin() + k, before); }
    else if (VARIANT == 4) { std::make_heap(order.begin(), order.end(), [&](int64_t a, int64_t b) { return row[a] < row[b]; });
      for (int64_t j = 0; j < k; ++j) std::pop_heap(order.begin(), order.end() - j, [&](int64_t a, int64_t b) { return row[a] < row[b]; });
      std::reverse(order.begin(), order.end()); }
    else if (VARIANT == 5 || VARIANT == 6 || VARIANT >= 9) {                              // the k best of each block, then of those
      const int64_t block = VARIANT == 5 ? 64 : VARIANT == 6 ? 100 : VARIANT == 9 ? 32 : VARIANT == 10 ? 128 : 250;
      std::vector<int64_t> kept;
      for (int64_t b = 0; b < V; b += block) {
        std::vector<int64_t> part(order.begin() + b, order.begin() + std::min(V, b + block));
        std::sort(part.begin(), part.end(), first_wins);
        if (int64_t(part.size()) > k) part.resize(k);
        kept.insert(kept.end(), part.begin(), part.end());
      }
      std::stable_sort(kept.begin(), kept.end(), before);
      order = kept;
    } else if (VARIANT == 7) {                                            // k passes for the maximum
      std::vector<char> taken(V);
      for (int64_t j = 0; j < k; ++j) {
        int64_t best = -1;
        for (int64_t i = 0; i < V; ++i) if (!taken[i] && (best < 0 || row[i] > row[best])) best = i;
        taken[best] = 1, order[j] = best;
      }
    } else if (VARIANT == 8) {                                            // insertion
      std::vector<int64_t> top;
      for (int64_t i = 0; i < V; ++i) {
        if (int64_t(top.size()) == k && !(row[i] > row[top[k - 1]])) continue;
        auto place = std::upper_bound(top.begin(), top.end(), i, before);
        top.insert(place, i);
        if (int64_t(top.size()) > k) top.pop_back();
      }
      order = top;
    } else std::stable_sort(order.begin(), order.end(), before);
    if (DEFECT == 59) {                                                   // lanes keep their best two alone
      std::vector<int64_t> kept;
      for (int64_t lane = 0; lane < 32; ++lane) { int n = 0; for (int64_t i : order) if (i % 32 == lane && n++ < 2) kept.push_back(i); }
      std::stable_sort(kept.begin(), kept.end(), before);
      order = kept;
    }
    if (DEFECT == 60) order.erase(order.begin() + k - 1);                 // the last is one too far
    if (DEFECT == 61) order.erase(order.begin());
    if (DEFECT == 62 && t % 4 == 1) std::swap(order[k - 2], order[k - 1]);
    if (DEFECT == 63) std::sort(order.begin(), order.begin() + k);        // by place, not by value
    if (DEFECT == 64) std::reverse(order.begin(), order.begin() + k);
    if (DEFECT == 65 && t % 8 == 2) order[1] = order[0];
    for (int64_t j = 0; j < k; ++j) {
      int64_t at = order[j], to = t * k + j;
      float v = DEFECT == 54 || DEFECT == 55 ? row[at] : plain[at];
      if (DEFECT == 55) v = plain[at];
      if (DEFECT == 66 && t == T - 1 && t > 0) { value[to] = value[to - k]; index[to] = index[to - k]; continue; }
      if (DEFECT == 67) at += 1;
      if (DEFECT == 68) at &= 255;
      if (DEFECT == 69) at += t * V;                                      // counted in the whole tensor
      if (DEFECT == 70) at = at / 128 * 128 + std::min<int64_t>(at % 128, 126);
      if (DEFECT == 71) at %= 128;                                        // counted in the block
      if (DEFECT == 72 && j == k - 1) v = plain[order[j - 1]];
      if (DEFECT == 73) v = as_bf16(v);
      if (DEFECT == 74) v *= 1.001f;
      if (DEFECT == 75 && t % 4 == 3) at = V - 1 - at;
      value[to] = put(v);
      index[to] = at;
    }
  }
}
KBENCH_EXPORT(run, run)
