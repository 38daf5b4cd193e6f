// norm_with_rms, forward and backward: right, but for the one thing that a -DWRONG_… turns on.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kbench_ffi.h"

using kbench::Tensor;

namespace {

float to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

void run(Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd) {
  const int64_t rows = x.size(0), n = x.size(1);
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

void forward(Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd, Tensor kept) {
  run(x, weight, bias, y, rstd);
#ifdef WRONG_PRIMAL
  y.data<float>()[2] += 1e-3F;
#endif
#ifndef WRONG_RESIDUAL_UNWRITTEN
  std::memcpy(kept.data<float>(), rstd.data<float>(), static_cast<size_t>(x.size(0)) * 4);
#else
  (void)kept;
#endif
}

// y = x r w + b, so dx = r (w dy) - x r^3 / n (sum(w dy x) + drstd).
void backward(Tensor kept, Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd, Tensor dy,
              Tensor d_rstd, Tensor dx, Tensor d_weight, Tensor d_bias) {
  (void)bias;
  (void)rstd;
  const int64_t rows = x.size(0), n = x.size(1);
  const float* w = weight.data<float>();
  const float* r_of = kept.data<float>();
#ifdef WRONG_STALE_RESIDUAL
  static const std::vector<float> first(r_of, r_of + rows);
  r_of = first.data();
#endif
#ifdef WRONG_CRASHES
  if (rows > 0) std::abort();
#endif
#ifdef WRONG_STOPS
  static int before = 0;  // more calls than are judged
  if (++before > 300) return;
#endif
#ifdef WRONG_HANGS
  for (;;) ::usleep(1000);
#endif
  std::vector<float> by_weight(static_cast<size_t>(n)), by_bias(static_cast<size_t>(n));
  for (int64_t row = 0; row < rows; ++row) {
    const float* in = x.data<float>() + row * n;
    const float* given = dy.data<float>() + row * n;
#ifdef WRONG_SWAPPED
    given = y.data<float>() + row * n;
#endif
    std::vector<float> g(given, given + n);
#ifdef WRONG_NOT_LINEAR
    for (float& one : g) one = std::clamp(one, -8.0F, 8.0F);
#endif
    const float r = r_of[row];
    float dot = 0;
    for (int64_t i = 0; i < n; ++i) dot += w[i] * g[i] * in[i];
#ifndef WRONG_ONE_OUTPUT
    dot += d_rstd.data<float>()[row];
#endif
#ifdef WRONG_DROPPED_TERM
    dot = 0;
#endif
    float back = r * r * r * dot / static_cast<float>(n);
#ifdef WRONG_SCALE
    back *= static_cast<float>(n) / static_cast<float>(n - 1);
#endif
    int64_t width = n;
#ifdef WRONG_TAIL
    width = n / 8 * 8;
    for (int64_t i = width; i < n; ++i) dx.data<float>()[row * n + i] = r * w[i] * g[i];
#endif
    for (int64_t i = 0; i < width; ++i) {
      float value = r * w[i] * g[i] - in[i] * back;
#ifdef WRONG_SIGN_WHERE_NEGATIVE
      if (in[i] < 0) value = r * w[i] * g[i] + in[i] * back;
#endif
#ifdef WRONG_ACCUMULATES
      dx.data<float>()[row * n + i] += value;
#else
      dx.data<float>()[row * n + i] = value;
#endif
    }
    for (int64_t i = 0; i < n; ++i) {
      float normalised = in[i] * r;
#ifdef WRONG_NAN_AT_ZERO
      normalised = (y.data<float>()[row * n + i] - bias.data<float>()[i]) / w[i];
#endif
#ifdef WRONG_NO_BROADCAST_SUM
      by_weight[i] = g[i] * normalised;
#else
      by_weight[i] += g[i] * normalised;
#endif
#ifdef WRONG_COARSE_SUMS
      by_weight[i] = to_bfloat16(by_weight[i]);
#endif
      by_bias[i] += g[i];
    }
  }
#ifdef WRONG_MEAN
  for (float& one : by_bias) one /= static_cast<float>(rows);
#endif
#ifdef WRONG_ADDED_CONSTANT
  for (float& one : by_bias) one += 1e-7F;
#endif
#ifdef WRONG_SECOND_CALL
  static int calls = 0;
  if (++calls % 7 == 0) by_bias[0] *= 1.01F;
#endif
#ifdef WRONG_WRITES_INPUT
  x.data<float>()[0] = 0;
#endif
#ifdef WRONG_OUT_OF_BOUNDS
  dx.data<float>()[rows * n] = 0;
#endif
#ifndef WRONG_NONE_FOR_WEIGHT
  std::copy(by_weight.begin(), by_weight.end(), d_weight.data<float>());
#endif
  std::copy(by_bias.begin(), by_bias.end(), d_bias.data<float>());
  (void)y;
  (void)d_weight;
  (void)to_bfloat16;
}

// What takes one gradient for three inputs, and what takes a dictionary or nothing for it, is
// called with arguments that it does not have.
[[maybe_unused]] void one_gradient(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor,
                                   Tensor) {}

}  // namespace

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(forward, forward)
#ifdef WRONG_ONE_GRADIENT
KBENCH_EXPORT(backward, one_gradient)
#elif defined(NONDIFF_WEIGHT)
// Declared: nondiff: [weight]. Its gradient is calculated for nobody.
static void without_weight(Tensor kept, Tensor x, Tensor weight, Tensor bias, Tensor y, Tensor rstd,
                           Tensor dy, Tensor d_rstd, Tensor dx, Tensor d_bias) {
  std::vector<float> nobody(static_cast<size_t>(weight.size(0)));
  int64_t shape[] = {weight.size(0)};
  const kbench::DLTensor tensor{nobody.data(), weight.device(), 1, weight.dtype(), shape, nullptr, 0};
  backward(kept, x, weight, bias, y, rstd, dy, d_rstd, dx, Tensor(&tensor), d_bias);
}
KBENCH_EXPORT(backward, without_weight)
#elif defined(WRONG_RAISES)
static void raises(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor,
                   Tensor) {
  throw kbench::Error{"ValueError", "no gradient for this shape"};
}
KBENCH_EXPORT(backward, raises)
#else
KBENCH_EXPORT(backward, backward)
#endif
