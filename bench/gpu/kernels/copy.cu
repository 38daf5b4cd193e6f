// SPDX-License-Identifier: Apache-2.0
// Writes what it reads, 16 bytes a thread at a time where the length allows.
#include "kbench_cuda.h"

namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void copy(const T* from, T* to, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) to[i] = from[i];
}

template <typename T>
void launch(kbench::Tensor x, kbench::Tensor y, int64_t n) {
  const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  copy<T><<<blocks, kThreads, 0, kbench::stream_of(x)>>>(x.data<T>(), y.data<T>(), n);
}

void run(kbench::Tensor x, kbench::Tensor y) {
  const int64_t n = x.numel();
  if (n % 4 == 0)
    launch<float4>(x, y, n / 4);
  else
    launch<float>(x, y, n);
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
