// SPDX-License-Identifier: Apache-2.0
// aten::add.out: self + alpha * other.
#include "alpha.h"
#include "elementwise.h"
#include "kernels.h"

namespace kbench_cpu {
namespace {

template <typename T>
void add(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool takes_other = to_double(alpha) != 0;
    map<T>(self, other, out, [=](T a, T b) { return a || (takes_other && b); });
  } else if constexpr (std::is_integral_v<T>) {
    const auto factor = static_cast<uint64_t>(to_integer(alpha));
    map<T>(self, other, out, [=](T a, T b) { return round_to<T>(load(a) + factor * load(b)); });
  } else {
    const auto factor = static_cast<Arithmetic<T>>(to_double(alpha));
    map<T>(self, other, out, [=](T a, T b) { return round_to<T>(load(a) + factor * load(b)); });
  }
}

}  // namespace

namespace native {

Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                const Scalar& alpha, Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_any(type), InvalidArgument, out,
                      "self has an element type that add does not take");
  KBENCH_KERNEL_CHECK(context, other.scalar_type() == type && out.scalar_type() == type,
                      InvalidArgument, out, "self, other and out must have one element type");
  const char* const problem = alpha_problem(alpha, type);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  Shape shape;
  KBENCH_KERNEL_CHECK(context, broadcast(self, other, shape), InvalidArgument, out,
                      "self and other have sizes that do not fit together");
  if (!resize(context, out, shape)) return out;
  visit_any(type, [&](auto tag) { add<typename decltype(tag)::type>(self, other, alpha, out); });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
