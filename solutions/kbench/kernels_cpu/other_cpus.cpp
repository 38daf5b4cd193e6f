// SPDX-License-Identifier: Apache-2.0
// Where there is no AVX-512 to compile for, its kernels are the default ones: the yaml names them.
#if !defined(__x86_64__)

#include "kernels.h"

namespace kbench_cpu::native {

Tensor& add_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                       const Scalar& alpha, Tensor& out) {
  return add_out(context, self, other, alpha, out);
}
Tensor& add_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                            const Scalar& alpha, Tensor& out) {
  return add_out(context, self, other, alpha, out);
}
Tensor& mul_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                       Tensor& out) {
  return mul_out(context, self, other, out);
}
Tensor& mul_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                            Tensor& out) {
  return mul_out(context, self, other, out);
}
Tensor& relu_out_avx512(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  return relu_out(context, self, out);
}
Tensor& relu_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  return relu_out(context, self, out);
}
Tensor& gelu_out_avx512(KernelRuntimeContext& context, const Tensor& self,
                        std::string_view approximate, Tensor& out) {
  return gelu_out(context, self, approximate, out);
}
Tensor& softmax_out_avx512(KernelRuntimeContext& context, const Tensor& self, int64_t dim,
                           bool half_to_float, Tensor& out) {
  return softmax_out(context, self, dim, half_to_float, out);
}
std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_out_avx512(
    KernelRuntimeContext& context, const Tensor& input, ArrayRef<int64_t> normalized_shape,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps,
    Tensor& out0, Tensor& out1, Tensor& out2) {
  return native_layer_norm_out(context, input, normalized_shape, weight, bias, eps, out0, out1,
                               out2);
}
Tensor& mm_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2,
                      Tensor& out) {
  return mm_out(context, self, mat2, out);
}
Tensor& bmm_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2,
                       Tensor& out) {
  return bmm_out(context, self, mat2, out);
}

}  // namespace kbench_cpu::native

#endif  // !defined(__x86_64__)
