// SPDX-License-Identifier: Apache-2.0
// Softmax of rows, optionally of scores divided by a temperature: a block a row.
#include "rows.cuh"

namespace {

using kbench::Tensor;

template <typename T>
__global__ void softmax(const T* input, float temperature, float* output, int64_t n) {
  const T* x = input + blockIdx.x * n;
  float* out = output + blockIdx.x * n;
  float highest = -INFINITY, sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads)
    highest = fmaxf(highest, to_float(x[i]) / temperature);
  highest = combine(highest, Highest{});
  for (int64_t i = threadIdx.x; i < n; i += kThreads)
    sum += expf(to_float(x[i]) / temperature - highest);
  sum = combine(sum, Sum{});
  for (int64_t i = threadIdx.x; i < n; i += kThreads)
    out[i] = expf(to_float(x[i]) / temperature - highest) / sum;
}

void with_temperature(Tensor input, double temperature, Tensor output) {
  with_element_type(input.dtype(), [&](auto element) {
    using T = decltype(element);
    const unsigned rows = static_cast<unsigned>(input.size(0));
    softmax<T><<<rows, kThreads, 0, kbench::stream_of(input)>>>(
        input.data<T>(), static_cast<float>(temperature), output.data<float>(), input.size(1));
  });
  kbench::check_launch();
}

void without(Tensor input, Tensor output) { with_temperature(input, 1.0, output); }

}  // namespace

KBENCH_EXPORT(softmax, without)
KBENCH_EXPORT(softmax_temperature, with_temperature)
