// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, base 500000: feature i and feature i + head_dim / 2 of every head are
// one pair, rotated by position * base^(-2 i / head_dim). A thread a pair.
#include "numbers.cuh"

namespace {

using kbench::Tensor;
using T = __nv_bfloat16;

struct Heads {
  const T* in;
  T* out;
  int64_t pairs, heads, half;  // pairs of all tokens; heads of a token, half of a head's features
};

__global__ void rotate(Heads x, const int64_t* positions) {
  const int64_t pair = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pair >= x.pairs) return;
  const int64_t head = pair / x.half, i = pair % x.half;
  const float exponent = static_cast<float>(i) / static_cast<float>(x.half);
  const float position = static_cast<float>(positions[head / x.heads]);
  const float angle = position * (1.0f / powf(500000.0f, exponent));
  const float cosine = cosf(angle), sine = sinf(angle);
  const int64_t place = head * 2 * x.half + i;
  const float first = to_float(x.in[place]), second = to_float(x.in[place + x.half]);
  from_float(first * cosine - second * sine, &x.out[place]);
  from_float(second * cosine + first * sine, &x.out[place + x.half]);
}

void rotate_all(Tensor x, Tensor positions, Tensor out) {
  KBENCH_CHECK(x.dtype() == kbench::kBFloat16, "rope: tensors must be bfloat16");
  const Heads heads{x.data<T>(), out.data<T>(), x.numel() / 2, x.size(1), x.size(2) / 2};
  rotate<<<blocks_for(heads.pairs, 256), 256, 0, kbench::stream_of(x)>>>(heads,
                                                                         positions.data<int64_t>());
  kbench::check_launch();
}

void run(Tensor q, Tensor k, Tensor positions, Tensor q_out, Tensor k_out) {
  rotate_all(q, positions, q_out);
  rotate_all(k, positions, k_out);
}

}  // namespace

KBENCH_EXPORT(run, run)
