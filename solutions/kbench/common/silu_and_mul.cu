// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up: eight elements a thread. __expf errs by a few units in a float's last place, far
// below what sixteen bits keep.
#include "vectors.cuh"

namespace {

constexpr int kThreads = 128;
constexpr unsigned kMostRows = 65535;  // of a grid's y

template <typename T>
__global__ void __launch_bounds__(kThreads)
    silu_and_mul(const T* input, T* output, int64_t rows, int64_t d) {
  constexpr int width = Vector<T>::width;
  const int64_t column = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * width;
  if (column >= d) return;
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    Vector<T> gate, up;
    gate.load(input + row * 2 * d + column);
    up.load(input + row * 2 * d + d + column);
#pragma unroll
    for (int i = 0; i < width; ++i) up.x[i] *= gate.x[i] / (1.0f + __expf(-gate.x[i]));
    up.store(output + row * d + column);
  }
}

void run(kbench::Tensor input, kbench::Tensor output) {
  check_vectors({input, output});
  with_half_type(input.dtype(), [&](auto element) {
    using T = decltype(element);
    const int64_t rows = output.size(0), d = output.size(1);
    const dim3 grid(blocks_for(d, kThreads * Vector<T>::width),
                    rows < kMostRows ? static_cast<unsigned>(rows) : kMostRows);
    silu_and_mul<T><<<grid, kThreads, 0, kbench::stream_of(input)>>>(input.data<T>(),
                                                                     output.data<T>(), rows, d);
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
