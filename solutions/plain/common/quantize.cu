// SPDX-License-Identifier: Apache-2.0
// Quantisation of rows to int8 with a scale a row: a block a row.
#include "rows.cuh"

namespace {

using T = __nv_bfloat16;

__global__ void quantize(const T* input, int8_t* codes, float* scales, int64_t n) {
  const int64_t first = blockIdx.x * n;
  float highest = 1e-5f;
  for (int64_t i = threadIdx.x; i < n; i += kThreads)
    highest = fmaxf(highest, fabsf(to_float(input[first + i])));
  const float scale = combine(highest, Highest{}) * static_cast<float>(1.0 / 127.0);
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    const float code = rintf(to_float(input[first + i]) / scale);
    codes[first + i] = static_cast<int8_t>(fminf(fmaxf(code, -127.0f), 127.0f));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

void run(kbench::Tensor input, kbench::Tensor codes, kbench::Tensor scale) {
  KBENCH_CHECK(input.dtype() == kbench::kBFloat16, "quantize: the input must be bfloat16");
  const unsigned rows = static_cast<unsigned>(input.size(0));
  quantize<<<rows, kThreads, 0, kbench::stream_of(input)>>>(input.data<T>(), codes.data<int8_t>(),
                                                            scale.data<float>(), input.size(1));
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(quantize_int8, run)
