// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up: a thread an element.
#include "numbers.cuh"

namespace {

template <typename T>
__global__ void silu_and_mul(const T* input, T* output, int64_t elements, int64_t d) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const T* row = input + i / d * 2 * d;
  const float gate = to_float(row[i % d]), up = to_float(row[d + i % d]);
  from_float(gate / (1.0f + expf(-gate)) * up, &output[i]);
}

void run(kbench::Tensor input, kbench::Tensor output) {
  with_element_type(input.dtype(), [&](auto element) {
    using T = decltype(element);
    const int64_t elements = output.numel();
    silu_and_mul<T><<<blocks_for(elements, 256), 256, 0, kbench::stream_of(input)>>>(
        input.data<T>(), output.data<T>(), elements, output.size(1));
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
