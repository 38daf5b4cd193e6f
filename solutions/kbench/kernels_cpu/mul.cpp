// SPDX-License-Identifier: Apache-2.0
// aten::mul.out: self * other.
#include "dtypes.h"
#include "elementwise.h"
#include "kernels.h"

namespace kbench_cpu::native {

Tensor& mul_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_any(type), InvalidArgument, out,
                      "self has an element type that mul does not take");
  KBENCH_KERNEL_CHECK(context, other.scalar_type() == type && out.scalar_type() == type,
                      InvalidArgument, out, "self, other and out must have one element type");
  Shape shape;
  KBENCH_KERNEL_CHECK(context, broadcast(self, other, shape), InvalidArgument, out,
                      "self and other have sizes that do not fit together");
  if (!resize(context, out, shape)) return out;
  visit_any(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<T>(self, other, out, [](T a, T b) { return round_to<T>(load(a) * load(b)); });
  });
  return out;
}

}  // namespace kbench_cpu::native
