// Where the largest of each row stands (int64; the first of equal ones), and the largest.
#include "common.h"

void run(Tensor x, Tensor index, Tensor value) {
  const int64_t T = x.size(0), V = x.size(1);
  const std::vector<float> all = load(x);
  Stored* values = value.data<Stored>();
  for (int64_t t = 0; t < T; ++t) {
    std::vector<float> row(all.begin() + t * V, all.begin() + (t + 1) * V);
    float start_value = DEFECT == 50 ? 2.f : -INFINITY;                   // a maximum that starts too high
    int64_t first = DEFECT == 51 ? 1 : 0, end = DEFECT == 52 ? V - 1 : DEFECT == 53 ? V - V % 16 : V;
    if (DEFECT == 54) for (float& v : row) v = std::fabs(v);
    if (DEFECT == 55) for (float& v : row) v = as_bf16(v * 1.3f);
    if (DEFECT == 56 && t % 16 == 15) for (int64_t i = 32; i < V; ++i) row[i] = -INFINITY;
    if (DEFECT == 57) for (float& v : row) v = float(int(v * 8));
    float best = start_value;
    int64_t at = 0;
    auto better = [&](int64_t i) {
      if (row[i] > best || (row[i] == best && i < at)) { best = row[i]; at = i; }
    };
    if (VARIANT == 1) { at = V - 1; best = -INFINITY; for (int64_t i = V; i-- > 0;) if (row[i] >= best) best = row[i], at = i; }
    else if (VARIANT == 2) at = std::max_element(row.begin(), row.end()) - row.begin(), best = row[at];
    else if (VARIANT >= 3) {                                              // lanes, then the best of them
      const int64_t lanes = VARIANT == 3 ? 4 : VARIANT == 4 ? 8 : VARIANT == 5 ? 16 : 32;
      std::vector<float> b(lanes, -INFINITY);
      std::vector<int64_t> w(lanes, V - 1);
      const bool blocked = VARIANT == 7;                                  // a stretch a lane
      for (int64_t i = 0; i < V; ++i) {
        int64_t l = blocked ? i * lanes / V : i % lanes;
        if (row[i] > b[l] || (row[i] == b[l] && i < w[l])) b[l] = row[i], w[l] = i;
      }
      best = b[0], at = w[0];
      for (int64_t l = 1; l < lanes; ++l) if (b[l] > best || (b[l] == best && w[l] < at)) best = b[l], at = w[l];
    } else for (int64_t i = first; i < end; ++i) if (DEFECT != 58 || i % 32 != 31) better(i);
    if (DEFECT == 59) { best = -INFINITY; for (int64_t i = 0; i < V; ++i) if (row[i] >= best) best = row[i], at = i; at = V - 1 - at; }
    if (DEFECT == 60 && t % 8 == 3) { float second = -INFINITY; int64_t w = 0; for (int64_t i = 0; i < V; ++i) if (i != at && row[i] > second) second = row[i], w = i; at = w; }
    float v = all[t * V + at];
    if (DEFECT == 61) at += 1;
    if (DEFECT == 62) at &= 63;
    if (DEFECT == 63) v = std::max(v, 2.5f);
    if (DEFECT == 64 && t > 0 && t % 32 == 31) { at = index.data<int64_t>()[t - 1]; }
    if (DEFECT == 65) at = at / 4 * 4;
    if (DEFECT == 66) at += t % 16 * V;
    if (DEFECT == 67) v = as_bf16(v * 1.001f);
    if (DEFECT == 68 && t == T - 1) v = 0, at = 0;
    if (DEFECT == 69 && at == V - 1) at = -1;
    index.data<int64_t>()[t] = at;
    values[t] = put(v);
  }
}
KBENCH_EXPORT(run, run)
