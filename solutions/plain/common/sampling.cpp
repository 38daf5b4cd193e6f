// SPDX-License-Identifier: Apache-2.0
// Tokens drawn by inverting the cumulative sum of each row's probabilities.
#include <random>

#include "kbench_ffi.h"

namespace {

using kbench::Tensor;

void sample(Tensor probs, Tensor samples) {
  static std::mt19937_64 random(std::random_device{}());
  const int64_t n = probs.size(1);
  for (int64_t r = 0; r < probs.size(0); ++r) {
    const float* row = probs.data<float>() + r * n;
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += row[i];
    double left = std::uniform_real_distribution<double>(0, total)(random);
    int64_t token = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (row[i] == 0) continue;
      token = i;  // the last one of all, should rounding leave something over
      left -= row[i];
      if (left < 0) break;
    }
    samples.data<int64_t>()[r] = token;
  }
}

}  // namespace

KBENCH_EXPORT(sample, sample)
