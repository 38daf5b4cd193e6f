// SPDX-License-Identifier: Apache-2.0
// aten::gelu.out: x * P(a standard normal is below x), or the approximation of that by a tanh.
#include <cmath>

#include "dtypes.h"
#include "elementwise.h"
#include "kernels.h"

namespace kbench_cpu {
namespace {

template <typename T>
void gelu(const Tensor& self, bool by_tanh, Tensor& out) {
  using C = Arithmetic<T>;
  const auto half = static_cast<C>(0.5);
  if (by_tanh) {
    const auto scale = static_cast<C>(0.79788456080286535588);  // sqrt(2 / pi)
    const auto cubic = static_cast<C>(0.044715);
    map<T, T>(self, out, [=](T value) {
      const C x = load(value);
      return round_to<T>(half * x * (1 + std::tanh(scale * (x + cubic * x * x * x))));
    });
  } else {
    const auto root = static_cast<C>(0.70710678118654752440);  // sqrt(1 / 2)
    map<T, T>(self, out, [=](T value) {
      const C x = load(value);
      return round_to<T>(half * x * (1 + std::erf(root * x)));
    });
  }
}

}  // namespace

namespace native {

Tensor& gelu_out(KernelRuntimeContext& context, const Tensor& self, std::string_view approximate,
                 Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_floating(type), InvalidArgument, out,
                      "gelu takes Half, BFloat16, Float and Double");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "self and out must have one element type");
  KBENCH_KERNEL_CHECK(context, approximate == "none" || approximate == "tanh", InvalidArgument, out,
                      "approximate must be none or tanh");
  if (!resize(context, out, shape_of(self))) return out;
  const bool by_tanh = approximate == "tanh";
  visit_floating(type, [&](auto tag) { gelu<typename decltype(tag)::type>(self, by_tanh, out); });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
