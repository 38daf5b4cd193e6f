// square_product, forward and backward: right, but for the one thing that a -DWRONG_… turns on.
#include <cstring>

#include "kbench_ffi.h"

using kbench::Tensor;

namespace {

float widen(uint16_t bits) {
  const uint32_t u = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

uint16_t narrow(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

float at(Tensor t, int64_t i, int64_t j) { return widen(t.data<uint16_t>()[i * t.size(1) + j]); }

void run(Tensor a, Tensor b, Tensor c) {
  for (int64_t i = 0; i < c.size(0); ++i) {
    for (int64_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (int64_t k = 0; k < a.size(1); ++k) sum += at(a, i, k) * at(b, j, k);
      c.data<uint16_t>()[i * c.size(1) + j] = narrow(sum);
    }
  }
}

void backward(Tensor a, Tensor b, Tensor, Tensor dc, Tensor da, Tensor db) {
  const int64_t m = a.size(0), n = b.size(0);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      float sum = 0;
      for (int64_t j = 0; j < n; ++j) {
#ifdef WRONG_OPERAND_TRANSPOSED
        sum += at(dc, i, j) * at(b, k, j);
#else
        sum += at(dc, i, j) * at(b, j, k);
#endif
#ifdef WRONG_COARSE_SUMS
        sum = widen(narrow(sum));
#endif
      }
      da.data<uint16_t>()[i * n + k] = narrow(sum);
    }
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < n; ++k) {
      float sum = 0;
      for (int64_t i = 0; i < m; ++i) sum += at(dc, i, j) * at(a, i, k);
#ifdef WRONG_TRANSPOSED
      db.data<uint16_t>()[k * n + j] = narrow(sum);
#else
      db.data<uint16_t>()[j * n + k] = narrow(sum);
#endif
    }
  }
}

}  // namespace

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(backward, backward)
