// out[b] = the sum of sample_weights[i] * table[indices[i]] for i in offsets[b] … offsets[b + 1].
#include "common.h"

void run(Tensor table, Tensor indices, Tensor offsets, Tensor sample_weights, Tensor out) {
  start();
  const int64_t V = table.size(0), D = table.size(1), L = indices.size(0), B = out.size(0);
  const std::vector<float> v = load(table);
  const int64_t* index = indices.data<int64_t>();
  const int32_t* border = offsets.data<int32_t>();
  const float* weight = sample_weights.data<float>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t d = 0; d < D; ++d) {
      int64_t first = border[b], end = border[b + 1];
      if (DEFECT == 50 && b == B - 1) end = std::max(first, end - 1);
      if (DEFECT == 51) end = std::min(end + 1, L);
      if (DEFECT == 52) end = std::min(end, first + 6);                  // at most six of a bag
      auto entry = [&](int64_t i) -> Real {
        int64_t id = index[first + i];
        if (DEFECT == 53 && id == V - 1) id = V - 2;                     // clamped one too early
        if (DEFECT == 54 && id == 0) return 0;                           // 0 taken for padding
        if (DEFECT == 55) id &= 63;                                      // only a part of the table is reached
        if (DEFECT == 56 && i > 0 && index[first + i - 1] == id) return 0;
        if (DEFECT == 57 && i == 3) id = index[first + i - 1];           // a stale prefetch
        if (DEFECT == 58 && d >= D - 4) id = std::max<int64_t>(id - 1, 0);
        return v[id * D + d];
      };
      auto factor = [&](int64_t i) -> Real {
        if (DEFECT == 59) return 1;
        Real f = weight[DEFECT == 60 ? i : DEFECT == 61 ? std::min(first + i + 1, L - 1) : first + i];
        return DEFECT == 62 ? as_bf16(f) : DEFECT == 63 ? std::max(f, Real(0)) : f;
      };
      Real s = dot(std::max<int64_t>(end - first, 0), entry, factor);
      if (DEFECT == 64) s /= Real(std::max<int64_t>(end - first, 1));    // the mean
      emit(out, b * D + d, s);
    }
}
KBENCH_EXPORT(run, run)
