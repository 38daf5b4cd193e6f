// SPDX-License-Identifier: Apache-2.0
// native_layer_norm of contiguous Float tensors over their last dimension, with weight and bias.
#include <cmath>

#include "kernels.h"
#include "norm_rows.h"
#include "simd.h"

#if defined(__x86_64__)

namespace kbench_cpu {
namespace {

struct Same {
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const { return x; }
};
struct SquareFrom {
  __m512 mean;
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const {
    const __m512 away = _mm512_sub_ps(x, mean);
    return _mm512_mul_ps(away, away);
  }
};

struct Row {
  const float* weight;
  const float* bias;
  int64_t n;
};

KBENCH_CPU_INLINE void normalise(const float* x, float* y, const Row& row, float mean, float rstd) {
  const __m512 centre = _mm512_set1_ps(mean), scale = _mm512_set1_ps(rstd);
  for (int64_t i = 0; i < row.n; i += avx512::kLanes) {
    const __mmask16 mask = avx512::first(row.n - i);
    const __m512 away = _mm512_sub_ps(avx512::load(x + i, mask), centre);
    const __m512 value =
        _mm512_fmadd_ps(_mm512_mul_ps(away, scale), avx512::load(row.weight + i, mask),
                        avx512::load(row.bias + i, mask));
    avx512::store(y + i, value, mask);
  }
}

KBENCH_CPU_AVX512 void layer_norm(const Tensor& input, const Row& row, double eps,
                                  std::tuple<Tensor&, Tensor&, Tensor&> out) {
  const auto* x = static_cast<const float*>(input.const_data_ptr());
  auto* y = static_cast<float*>(std::get<0>(out).mutable_data_ptr());
  auto* const means = static_cast<float*>(std::get<1>(out).mutable_data_ptr());
  auto* const rstds = static_cast<float*>(std::get<2>(out).mutable_data_ptr());
  const int64_t rows = std::get<1>(out).numel();
  const auto n = static_cast<float>(row.n);
  for (int64_t i = 0; i < rows; ++i, x += row.n, y += row.n) {
    const float mean = avx512::sum(x, row.n, Same()) / n;
    const float squares = avx512::sum(x, row.n, SquareFrom{_mm512_set1_ps(mean)});
    const double variance = static_cast<double>(squares / n);
    means[i] = mean;
    rstds[i] = static_cast<float>(1 / std::sqrt(variance + eps));
    normalise(x, y, row, mean, rstds[i]);
  }
}

}  // namespace

namespace native {

// The key has weight and bias, both of one dimension, so that one is normalised over.
std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_out_avx512(
    KernelRuntimeContext& context, const Tensor& input, ArrayRef<int64_t> normalized_shape,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps,
    Tensor& out0, Tensor& out1, Tensor& out2) {
  const std::tuple<Tensor&, Tensor&, Tensor&> out(out0, out1, out2);
  NormRows rows;
  const bool is_usual = weight && bias && normalized_shape.size() == 1 &&
                        split_rows(input, normalized_shape, rows) && rows.normalised.sizes[0] > 0 &&
                        fits(weight, input, rows.normalised) && fits(bias, input, rows.normalised);
  if (!is_usual)
    return native_layer_norm_out(context, input, normalized_shape, weight, bias, eps, out0, out1,
                                 out2);
  if (!resize(context, input, rows, out)) return out;
  const Row row = {static_cast<const float*>(weight->const_data_ptr()),
                   static_cast<const float*>(bias->const_data_ptr()), rows.normalised.numel()};
  layer_norm(input, row, eps, out);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu

#endif  // defined(__x86_64__)
