// SPDX-License-Identifier: Apache-2.0
// Quantisation of bfloat16: float8_e4m3fn with a scale for each block, int8 with one a row. The
// divisions and roundings are IEEE's, so the codes are the reference's, bit for bit.
#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "quantize.inc"
#include "levels.h"

namespace {

// Quantises consecutive blocks, as many as there are scales.
template <typename Code, typename Block>
void quantize(const kbench::Tensor& input, const kbench::Tensor& codes, const kbench::Tensor& scale,
              Block block) {
  KBENCH_CHECK(input.dtype() == kbench::kBFloat16, "quantize: the input must be bfloat16");
  KBENCH_CHECK(input.contiguous() && codes.contiguous(), "quantize: tensors must be contiguous");
  const int64_t blocks = scale.numel(), n = input.numel() / blocks;
  parallel(blocks, 1 + 32768 / n, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      scale.data<float>()[b] = block(input.data<BF16>() + b * n, codes.data<Code>() + b * n, n);
  });
}

void quantize_fp8(kbench::Tensor input, kbench::Tensor codes, kbench::Tensor scale) {
  quantize<E4M3>(input, codes, scale, KB_PICK(quantize_block_fp8));
}
void quantize_int8(kbench::Tensor input, kbench::Tensor codes, kbench::Tensor scale) {
  quantize<int8_t>(input, codes, scale, KB_PICK(quantize_row_int8));
}

}  // namespace

KBENCH_EXPORT(quantize_fp8, quantize_fp8)
KBENCH_EXPORT(quantize_int8, quantize_int8)
