// SPDX-License-Identifier: Apache-2.0
// A kernel whose time is known beside another's: each thread multiplies its number by one, kSteps
// times, each time by the result of the time before. The compiler does not know that it is one.
#include "kbench_cuda.h"

namespace {

constexpr int kSteps = CHAIN_STEPS;  // of spec.compile_flags
constexpr int kThreads = 128;

__global__ void chain(const float* x, float one, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const float zero = one - one;
  float value = x[i];
#pragma unroll 16
  for (int step = 0; step < kSteps; ++step) value = fmaf(value, one, zero);
  y[i] = value;
}

void run(kbench::Tensor x, double one, kbench::Tensor y) {
  const int64_t n = x.numel();
  const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  chain<<<blocks, kThreads, 0, kbench::stream_of(x)>>>(x.data<float>(), static_cast<float>(one),
                                                       y.data<float>(), n);
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
