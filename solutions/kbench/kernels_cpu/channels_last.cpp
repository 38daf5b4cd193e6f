// SPDX-License-Identifier: Apache-2.0
// add and relu of Float tensors that are all channels-last: with equal sizes their elements lie in
// one order, so that the dimensions do not matter. Four at a time, which any processor can.
#include <cstring>

#include "alpha.h"
#include "kernels.h"
#include "shape.h"

namespace kbench_cpu {
namespace {

using Four = float __attribute__((vector_size(16)));
constexpr int64_t kFour = 4;

inline Four load(const float* from, int64_t n = kFour) {
  Four value = {};
  std::memcpy(&value, from, static_cast<size_t>(n) * sizeof(float));
  return value;
}

// y = op(a, b); what is left over at the end fills a part of a vector.
template <typename Op>
void map(const float* a, const float* b, float* y, int64_t n, const Op& op) {
  int64_t i = 0;
  for (; i + kFour <= n; i += kFour) {
    const Four value = op(load(a + i), load(b + i));
    std::memcpy(y + i, &value, sizeof value);
  }
  if (i == n) return;
  const Four value = op(load(a + i, n - i), load(b + i, n - i));
  std::memcpy(y + i, &value, static_cast<size_t>(n - i) * sizeof(float));
}

}  // namespace

namespace native {

Tensor& add_out_channels_last(KernelRuntimeContext& context, const Tensor& self,
                              const Tensor& other, const Scalar& alpha, Tensor& out) {
  if (!same_sizes(self, other) || *alpha_problem(alpha, ScalarType::Float) != '\0')
    return add_out(context, self, other, alpha, out);
  if (!resize(context, out, shape_of(self))) return out;
  const auto factor = static_cast<float>(to_double(alpha));
  const Four factors = {factor, factor, factor, factor};
  map(static_cast<const float*>(self.const_data_ptr()),
      static_cast<const float*>(other.const_data_ptr()),
      static_cast<float*>(out.mutable_data_ptr()), out.numel(),
      [factors](Four a, Four b) { return a + factors * b; });
  return out;
}

Tensor& relu_out_channels_last(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (!resize(context, out, shape_of(self))) return out;
  const auto* const x = static_cast<const float*>(self.const_data_ptr());
  map(x, x, static_cast<float*>(out.mutable_data_ptr()), out.numel(),
      [](Four a, Four) { return a < 0 ? Four{} : a; });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
