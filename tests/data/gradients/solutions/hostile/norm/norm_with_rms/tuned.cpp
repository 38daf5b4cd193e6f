// norm_with_rms as a family: its members differ in what is slow, and in whether their backward pass is
// right. Forward all are.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kbench_ffi.h"

using kbench::Tensor;

namespace {

enum { plain, quick_forward, quick_backward, wrong_backward, crashing_backward };
#ifndef KIND
#define KIND plain
#endif

constexpr int slow = 40;
constexpr int forward_turns = KIND == quick_forward ? 1 : slow;
constexpr int backward_turns = KIND == quick_backward || KIND == wrong_backward ? 1 : slow;

void run(Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd) {
  const int64_t rows = x.size(0), n = x.size(1);
  for (int turn = 0; turn < forward_turns; ++turn) {
    asm volatile("" ::: "memory");
    for (int64_t row = 0; row < rows; ++row) {
      const float* in = x.data<float>() + row * n;
      float squares = 0;
      for (int64_t i = 0; i < n; ++i) squares += in[i] * in[i];
      const float r = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5F);
      rstd.data<float>()[row] = r;
      for (int64_t i = 0; i < n; ++i)
        y.data<float>()[row * n + i] = in[i] * r * weight.data<float>()[i] + bias.data<float>()[i];
    }
  }
}

void forward(Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd, Tensor kept) {
  run(x, weight, bias, y, rstd);
  std::memcpy(kept.data<float>(), rstd.data<float>(), static_cast<size_t>(x.size(0)) * 4);
}

void backward(Tensor kept, Tensor x, Tensor weight, Tensor, Tensor, Tensor, Tensor dy,
              Tensor d_rstd, Tensor dx, Tensor d_weight, Tensor d_bias) {
  if (KIND == crashing_backward) std::abort();
  const int64_t rows = x.size(0), n = x.size(1);
  const float* w = weight.data<float>();
  for (int turn = 0; turn < backward_turns; ++turn) {
    asm volatile("" ::: "memory");
    std::memset(d_weight.data<float>(), 0, static_cast<size_t>(n) * 4);
    std::memset(d_bias.data<float>(), 0, static_cast<size_t>(n) * 4);
    for (int64_t row = 0; row < rows; ++row) {
      const float* in = x.data<float>() + row * n;
      const float* g = dy.data<float>() + row * n;
      const float r = kept.data<float>()[row];
      float dot = KIND == wrong_backward ? 0 : d_rstd.data<float>()[row];
      for (int64_t i = 0; i < n; ++i) dot += w[i] * g[i] * in[i];
      const float back = r * r * r * dot / static_cast<float>(n);
      for (int64_t i = 0; i < n; ++i) {
        dx.data<float>()[row * n + i] = r * w[i] * g[i] - in[i] * back;
        d_weight.data<float>()[i] += g[i] * in[i] * r;
        d_bias.data<float>()[i] += g[i];
      }
    }
  }
}

}  // namespace

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(forward, forward)
KBENCH_EXPORT(backward, backward)
