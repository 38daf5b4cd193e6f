// SPDX-License-Identifier: Apache-2.0
// aten::_softmax.out: along one dimension, exp(x - highest) over the sum of these.
#include <cmath>
#include <limits>

#include "dtypes.h"
#include "kernels.h"
#include "walk.h"

namespace kbench_cpu {
namespace {

// `n` values, of which each is `step` elements after the one before.
template <typename T>
struct Line {
  T* first;
  int64_t step;
  T& operator[](int64_t i) const { return first[i * step]; }
};

// A NaN makes the sum one, and with it the whole line; so do an infinity and a line of -infinities.
template <typename T>
void softmax(Line<const T> x, Line<T> y, int64_t n) {
  using C = Arithmetic<T>;
  C highest = -std::numeric_limits<C>::infinity();
  for (int64_t i = 0; i < n; ++i) highest = load(x[i]) > highest ? load(x[i]) : highest;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const C power = std::exp(load(x[i]) - highest);
    sum += static_cast<double>(power);
    if constexpr (!is_half<T>) y[i] = power;
  }
  const C factor = static_cast<C>(1 / sum);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (is_half<T>) {  // rounded once
      y[i] = round_to<T>(std::exp(load(x[i]) - highest) * factor);
    } else {
      y[i] *= factor;
    }
  }
}

template <typename T>
void softmax(const Tensor& self, int64_t dim, Tensor& out) {
  const auto* const x = static_cast<const T*>(self.const_data_ptr());
  auto* const y = static_cast<T*>(out.mutable_data_ptr());
  Shape lines = shape_of(self);
  if (lines.dim > 0) lines.sizes[dim] = lines.sizes[dim] > 0 ? 1 : 0;
  const int64_t n = lines.dim > 0 ? self.size(dim) : 1;
  const int64_t from = lines.dim > 0 ? stride(self, dim) : 1;
  const int64_t to = lines.dim > 0 ? stride(out, dim) : 1;
  const Walk<2> walk(lines, {strides_of(out), strides_of(self)});
  walk.for_each_run([&](const Offsets<2>& at, int64_t count, const Offsets<2>& step) {
    for (int64_t i = 0; i < count; ++i) {
      softmax<T>(Line<const T>{x + at.of[1] + i * step.of[1], from},
                 Line<T>{y + at.of[0] + i * step.of[0], to}, n);
    }
  });
}

}  // namespace

namespace native {

Tensor& softmax_out(KernelRuntimeContext& context, const Tensor& self, int64_t dim,
                    bool half_to_float, Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, !half_to_float, NotSupported, out,
                      "half_to_float is for GPUs, as in PyTorch");
  KBENCH_KERNEL_CHECK(context, is_floating(type), InvalidArgument, out,
                      "_softmax takes Half, BFloat16, Float and Double");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "self and out must have one element type");
  KBENCH_KERNEL_CHECK(context, wrap_dim(dim, self.dim()), InvalidArgument, out,
                      "dim is out of self's range");
  if (!resize(context, out, shape_of(self))) return out;
  visit_floating(type, [&](auto tag) { softmax<typename decltype(tag)::type>(self, dim, out); });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
