// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up: a thread an element. No code for the host: kbench launches it.
#include <cuda_fp16.h>

extern "C" __global__ void silu_and_mul(const __half* input, __half* output, long long num_tokens,
                                        long long d) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= num_tokens * d) return;
  const __half* row = input + i / d * 2 * d;
  const float gate = __half2float(row[i % d]), up = __half2float(row[d + i % d]);
  output[i] = __float2half_rn(gate / (1.0f + expf(-gate)) * up);
}
