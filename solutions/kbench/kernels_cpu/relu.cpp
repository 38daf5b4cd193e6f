// SPDX-License-Identifier: Apache-2.0
// aten::relu.out: 0 for what is below 0. A NaN stays one, and so does -0.
#include <cstring>

#include "dtypes.h"
#include "elementwise.h"
#include "kernels.h"

namespace kbench_cpu {
namespace {

template <size_t bytes>
using Bits = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

// No branch: half of all values are below 0, and no processor guesses which.
template <typename T>
T relu(T x) {
  using Compared = std::conditional_t<is_half<T>, float, T>;
  Bits<sizeof x> bits;
  std::memcpy(&bits, &x, sizeof x);
  const auto is_below = static_cast<Bits<sizeof x>>(static_cast<Compared>(x) < Compared());
  bits &= static_cast<Bits<sizeof x>>(is_below - 1);
  std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
  return x;
}

}  // namespace

namespace native {

Tensor& relu_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_number(type), InvalidArgument, out,
                      "self has an element type that relu does not take");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "self and out must have one element type");
  if (!resize(context, out, shape_of(self))) return out;
  visit_number(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<T, T>(self, out, [](T x) { return relu(x); });
  });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
