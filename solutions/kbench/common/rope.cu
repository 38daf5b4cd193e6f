// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, base 500000, heads of 128 features: a block a token. Its sines and
// cosines are found once and serve all heads; then a thread rotates eight pairs at a time.
#include <cmath>

#include "vectors.cuh"

namespace {

using kbench::Tensor;
using T = __nv_bfloat16;

constexpr int kFeatures = 128, kPairs = kFeatures / 2, kWidth = Vector<T>::width;
constexpr int kThreads = 320;  // the vectors of 40 heads' halves

struct Tokens {
  const T *q, *k;
  T *q_out, *k_out;
  const int64_t* positions;
  int q_heads, kv_heads;
};

// Turns of a pair for one position, found by the host: a float's rounding of them is all they err.
struct Frequencies {
  float of[kPairs];
};

__global__ void __launch_bounds__(kThreads) rotate(Tokens tokens, Frequencies frequencies) {
  __shared__ __align__(16) float cosines[kPairs];
  __shared__ __align__(16) float sines[kPairs];
  if (threadIdx.x < kPairs) {
    const float position = static_cast<float>(tokens.positions[blockIdx.x]);
    sincosf(position * frequencies.of[threadIdx.x], &sines[threadIdx.x], &cosines[threadIdx.x]);
  }
  __syncthreads();
  const int vectors = (tokens.q_heads + tokens.kv_heads) * (kPairs / kWidth);
  for (int item = threadIdx.x; item < vectors; item += kThreads) {
    const int head = item / (kPairs / kWidth), pair = item % (kPairs / kWidth) * kWidth;
    const bool is_query = head < tokens.q_heads;
    const int64_t row =
        is_query ? static_cast<int64_t>(blockIdx.x) * tokens.q_heads + head
                 : static_cast<int64_t>(blockIdx.x) * tokens.kv_heads + head - tokens.q_heads;
    const int64_t place = row * kFeatures + pair;
    Vector<T> first, second;
    first.load((is_query ? tokens.q : tokens.k) + place);
    second.load((is_query ? tokens.q : tokens.k) + place + kPairs);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      const float a = first.x[i], b = second.x[i], c = cosines[pair + i], s = sines[pair + i];
      first.x[i] = a * c - b * s;
      second.x[i] = b * c + a * s;
    }
    first.store((is_query ? tokens.q_out : tokens.k_out) + place);
    second.store((is_query ? tokens.q_out : tokens.k_out) + place + kPairs);
  }
}

void run(Tensor q, Tensor k, Tensor positions, Tensor q_out, Tensor k_out) {
  KBENCH_CHECK(q.dtype() == kbench::kBFloat16, "rope: tensors must be bfloat16");
  KBENCH_CHECK(q.size(2) == kFeatures, "rope: a head must have 128 features");
  check_vectors({q, k, q_out, k_out});
  const Tokens tokens{q.data<T>(),
                      k.data<T>(),
                      q_out.data<T>(),
                      k_out.data<T>(),
                      positions.data<int64_t>(),
                      static_cast<int>(q.size(1)),
                      static_cast<int>(k.size(1))};
  Frequencies frequencies;
  for (int i = 0; i < kPairs; ++i)
    frequencies.of[i] = static_cast<float>(std::pow(500000.0, -static_cast<double>(i) / kPairs));
  rotate<<<static_cast<unsigned>(q.size(0)), kThreads, 0, kbench::stream_of(q)>>>(tokens,
                                                                                  frequencies);
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
