// Subtly wrong: the mean of squares leaves out the last 8 of 128 columns.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  const int64_t n = x.size(1);
  for (int64_t r = 0; r < x.size(0); ++r) {
    const uint16_t* in = x.data<uint16_t>() + r * n;
    float squares = 0;
    for (int64_t i = 0; i < n - 8; ++i) squares += widen(in[i]) * widen(in[i]);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + 1e-6f);
    for (int64_t i = 0; i < n; ++i)
      out.data<uint16_t>()[r * n + i] =
          narrow(widen(in[i]) * scale * widen(weight.data<uint16_t>()[i]));
  }
}

KBENCH_EXPORT(run, rmsnorm)
