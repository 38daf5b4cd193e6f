// SPDX-License-Identifier: Apache-2.0
// Quantisation of rows to int8 with a scale a row. A block a row, which it holds in registers. The
// division is a true one: a product with the reciprocal would round some codes the other way.
#include "row_blocks.cuh"

namespace {

using T = __nv_bfloat16;

constexpr int kWidth = Vector<T>::width;

__device__ __forceinline__ unsigned code(float x, float scale) {
  const float rounded = fminf(fmaxf(rintf(x / scale), -127.0f), 127.0f);
  return static_cast<unsigned>(static_cast<int>(rounded)) & 0xff;
}

__device__ __forceinline__ unsigned four_codes(const float* x, float scale) {
  return code(x[0], scale) | code(x[1], scale) << 8 | code(x[2], scale) << 16 |
         code(x[3], scale) << 24;
}

template <typename Block>
__global__ void __launch_bounds__(Block::kThreads)
    quantize(const T* input, int8_t* codes, float* scales, int n) {
  constexpr int stride = Block::kThreads * kWidth;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * n;
  const int first = threadIdx.x * kWidth;
  Vector<T> held[Block::kHeld];
  float highest = 1e-5f;
#pragma unroll
  for (int v = 0; v < Block::kHeld; ++v) {
    const int i = first + v * stride;
    if (i >= n) continue;
    held[v].load(input + row + i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) highest = fmaxf(highest, fabsf(held[v].x[j]));
  }
  const float scale =
      among_threads<Block::kWarps>(highest, Highest{}) * static_cast<float>(1.0 / 127.0);
#pragma unroll
  for (int v = 0; v < Block::kHeld; ++v) {
    const int i = first + v * stride;
    if (i >= n) continue;
    *reinterpret_cast<uint2*>(codes + row + i) =
        make_uint2(four_codes(held[v].x, scale), four_codes(held[v].x + 4, scale));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

void run(kbench::Tensor input, kbench::Tensor codes, kbench::Tensor scale) {
  KBENCH_CHECK(input.dtype() == kbench::kBFloat16, "quantize: the input must be bfloat16");
  check_vectors({input});
  KBENCH_CHECK(reinterpret_cast<uintptr_t>(codes.data<int8_t>()) % 8 == 0,
               "quantize: codes must begin at a multiple of 8 bytes");
  const unsigned rows = static_cast<unsigned>(input.size(0));
  with_row_block(input.size(1), [&](auto block) {
    using Block = decltype(block);
    quantize<Block><<<rows, Block::kThreads, 0, kbench::stream_of(input)>>>(
        input.data<T>(), codes.data<int8_t>(), scale.data<float>(),
        static_cast<int>(input.size(1)));
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(quantize_int8, run)
