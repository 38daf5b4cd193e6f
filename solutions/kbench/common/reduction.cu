// SPDX-License-Identifier: Apache-2.0
// The sum of each row: a block a row, four vectors of a thread on their way at a time.
#include "reduce.cuh"
#include "vectors.cuh"

namespace {

constexpr int kThreads = 128, kVectors = 4;

template <typename T>
__device__ __forceinline__ float sum_of(const Vector<T>& vector) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Vector<T>::width; ++i) sum += vector.x[i];
  return sum;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) row_sum(const T* input, float* output, int64_t n) {
  constexpr int width = Vector<T>::width, stride = kThreads * width;
  const T* x = input + blockIdx.x * n;
  int64_t i = threadIdx.x * width;
  float sum = 0;
  for (; i + (kVectors - 1) * stride < n; i += kVectors * stride) {
    Vector<T> vectors[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v].load(x + i + v * stride);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) sum += sum_of(vectors[v]);
  }
  for (; i < n; i += stride) {
    Vector<T> vector;
    vector.load(x + i);
    sum += sum_of(vector);
  }
  sum = among_threads<kThreads / kWarp>(sum, Sum{});
  if (threadIdx.x == 0) output[blockIdx.x] = sum;
}

void run(kbench::Tensor input, kbench::Tensor output) {
  check_vectors({input});
  with_half_type(input.dtype(), [&](auto element) {
    using T = decltype(element);
    const unsigned rows = static_cast<unsigned>(input.size(0));
    row_sum<T><<<rows, kThreads, 0, kbench::stream_of(input)>>>(
        input.data<T>(), output.data<float>(), input.size(1));
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(row_sum, run)
