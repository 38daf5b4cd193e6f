// SPDX-License-Identifier: Apache-2.0
// aten::relu.out: 0 for what is below 0. A NaN stays one, and so does -0.
#include "dtypes.h"
#include "elementwise.h"
#include "kernels.h"

namespace kbench_cpu::native {

Tensor& relu_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_number(type), InvalidArgument, out,
                      "self has an element type that relu does not take");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "self and out must have one element type");
  if (!resize(context, out, shape_of(self))) return out;
  visit_number(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Compared = std::conditional_t<is_half<T>, float, T>;
    map<T, T>(self, out, [](T x) { return static_cast<Compared>(x) < Compared() ? T() : x; });
  });
  return out;
}

Tensor& relu_out_channels_last(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (!resize(context, out, shape_of(self))) return out;
  const auto* const x = static_cast<const float*>(self.const_data_ptr());
  auto* const y = static_cast<float*>(out.mutable_data_ptr());
  const int64_t n = self.numel();
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  return out;
}

}  // namespace kbench_cpu::native
