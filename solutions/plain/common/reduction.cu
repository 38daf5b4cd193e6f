// SPDX-License-Identifier: Apache-2.0
// The sum of each row: a block a row.
#include "rows.cuh"

namespace {

template <typename T>
__global__ void row_sum(const T* input, float* output, int64_t n) {
  const T* x = input + blockIdx.x * n;
  float sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) sum += to_float(x[i]);
  sum = combine(sum, Sum{});
  if (threadIdx.x == 0) output[blockIdx.x] = sum;
}

void run(kbench::Tensor input, kbench::Tensor output) {
  with_element_type(input.dtype(), [&](auto element) {
    using T = decltype(element);
    const unsigned rows = static_cast<unsigned>(input.size(0));
    row_sum<T><<<rows, kThreads, 0, kbench::stream_of(input)>>>(
        input.data<T>(), output.data<float>(), input.size(1));
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(row_sum, run)
