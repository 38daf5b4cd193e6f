// SPDX-License-Identifier: Apache-2.0
// The default kernels that a specialised one hands a call over to where it has no quick way for it:
// operands that are broadcast, an alpha that does not fit, a softmax over another dimension than
// the last one. They report whatever is wrong with the call.
#ifndef KBENCH_CPU_KERNELS_H_
#define KBENCH_CPU_KERNELS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "kbench_kernel.h"

namespace kbench_cpu::native {
using namespace kbench::kernels;

Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                const Scalar& alpha, Tensor& out);
Tensor& mul_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out);
Tensor& relu_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out);
Tensor& gelu_out(KernelRuntimeContext& context, const Tensor& self, std::string_view approximate,
                 Tensor& out);
Tensor& softmax_out(KernelRuntimeContext& context, const Tensor& self, int64_t dim,
                    bool half_to_float, Tensor& out);
std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_out(
    KernelRuntimeContext& context, const Tensor& input, ArrayRef<int64_t> normalized_shape,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps,
    Tensor& out0, Tensor& out1, Tensor& out2);
Tensor& mm_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2, Tensor& out);
Tensor& bmm_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2, Tensor& out);

}  // namespace kbench_cpu::native

#endif  // KBENCH_CPU_KERNELS_H_
