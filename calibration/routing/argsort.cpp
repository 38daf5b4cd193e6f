// Where the elements of each row stand when they are sorted, rising (stable; equal keys are usual with int keys).
#include "common.h"

void run(Tensor keys, Tensor order_out) {
  const int64_t T = keys.size(0), V = keys.size(1);
  const int32_t* all = keys.data<int32_t>();
  for (int64_t t = 0; t < T; ++t) {
    std::vector<int64_t> row(all + t * V, all + (t + 1) * V), order(V);
    if (DEFECT == 50) for (int64_t& v : row) v = int8_t(v);
    if (DEFECT == 51) for (int64_t& v : row) v = std::abs(v);
    if (DEFECT == 52) for (int64_t& v : row) v = uint32_t(v);
    if (DEFECT == 53) for (int64_t& v : row) v = v >> 3;                  // the lowest digit is not sorted
    if (DEFECT == 54) for (int64_t& v : row) v = int64_t(as_bf16(float(v)));
    if (DEFECT == 55) for (int64_t& v : row) v = -v;
    if (DEFECT == 70) for (int64_t& v : row) v = v / 2;
    std::iota(order.begin(), order.end(), 0);
    auto less = [&](int64_t a, int64_t b) { return row[a] < row[b]; };
    auto exact = [&](int64_t a, int64_t b) { return row[a] < row[b] || (row[a] == row[b] && a < b); };
    int64_t end = DEFECT == 56 ? V - 1 : DEFECT == 57 ? V - V % 16 : V, first = DEFECT == 58 ? 1 : 0;
    if (DEFECT == 59) std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return row[a] < row[b] || (row[a] == row[b] && a > b); });
    else if (VARIANT == 1) std::sort(order.begin(), order.end(), exact);
    else if (VARIANT == 2) {                                              // insertion
      for (int64_t i = 1; i < V; ++i) for (int64_t j = i; j > 0 && row[order[j]] < row[order[j - 1]]; --j) std::swap(order[j], order[j - 1]);
    } else if (VARIANT == 3) {                                            // the rank of each by comparisons
      for (int64_t i = 0; i < V; ++i) { int64_t rank = 0; for (int64_t j = 0; j < V; ++j) rank += exact(j, i); order[rank] = i; }
    } else if (VARIANT == 4 || VARIANT == 5) {                            // radix, digits of 4 or 8 bits
      const int width = VARIANT == 4 ? 4 : 8;
      for (int shift = 0; shift < 32; shift += width) {
        std::vector<int64_t> next(V), count((1 << width) + 1);
        auto digit = [&](int64_t i) { return (uint32_t(int32_t(row[i])) ^ 0x80000000u) >> shift & ((1u << width) - 1); };
        for (int64_t i : order) ++count[digit(i) + 1];
        for (int d = 0; d < 1 << width; ++d) count[d + 1] += count[d];
        for (int64_t i : order) next[count[digit(i)]++] = i;
        order = next;
      }
    } else if (VARIANT == 6) {                                            // sorted halves, merged
      std::stable_sort(order.begin(), order.begin() + V / 2, less);
      std::stable_sort(order.begin() + V / 2, order.end(), less);
      std::inplace_merge(order.begin(), order.begin() + V / 2, order.end(), less);
    } else if (VARIANT == 7) {                                            // key and place in one number
      std::vector<int64_t> packed(V);
      for (int64_t i = 0; i < V; ++i) packed[i] = row[i] * 65536 + i;
      std::sort(packed.begin(), packed.end());
      for (int64_t i = 0; i < V; ++i) order[i] = packed[i] & 65535;
    } else std::stable_sort(order.begin() + first, order.begin() + end, less);
    if (DEFECT == 60) for (int64_t i = 0; i + 1 < V; i += 64) std::swap(order[i], order[i + 1]);
    if (DEFECT == 61) std::reverse(order.begin(), order.end());
    if (DEFECT == 62) { std::vector<int64_t> rank(V); for (int64_t i = 0; i < V; ++i) rank[order[i]] = i; order = rank; }  // the inverse
    if (DEFECT == 63 && t == T - 1) std::iota(order.begin(), order.end(), 0);
    if (DEFECT == 64 && t % 8 == 7) std::stable_sort(order.begin(), order.end(), [](int64_t a, int64_t b) { return a < b; });
    for (int64_t i = 0; i < V; ++i) {
      int64_t v = order[i];
      if (DEFECT == 65) v += 1;
      if (DEFECT == 66) v &= 63;
      if (DEFECT == 67 && i == V - 1) v = order[i - 1];
      if (DEFECT == 68) v += t * V;
      if (DEFECT == 69 && i % 32 == 31) v = order[i - 1];
      order_out.data<int64_t>()[t * V + i] = v;
    }
  }
}
KBENCH_EXPORT(run, run)
