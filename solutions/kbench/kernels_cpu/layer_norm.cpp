// SPDX-License-Identifier: Apache-2.0
// aten::native_layer_norm.out: each row less its mean, over its standard deviation; and the mean
// and the deviation's inverse themselves. In binary64, rounded once.
#include <cmath>
#include <limits>

#include "dtypes.h"
#include "kernels.h"
#include "norm_rows.h"
#include "walk.h"

namespace kbench_cpu {
namespace {

using Outputs = std::tuple<Tensor&, Tensor&, Tensor&>;

struct Moments {
  double mean;
  double rstd;
};

// `row` goes over one row's output, input, weight and bias; x is the row's first value.
template <typename T>
Moments moments(const Walk<4>& row, const T* x, int64_t n, double eps) {
  if (n == 0) return {0, std::numeric_limits<double>::quiet_NaN()};  // PyTorch's answer
  double sum = 0;
  row.for_each_run([&](const Offsets<4>& at, int64_t count, const Offsets<4>& step) {
    const T* const from = x + at.of[1];
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(load(from[i * step.of[1]]));
  });
  const double mean = sum / static_cast<double>(n);
  double squares = 0;
  row.for_each_run([&](const Offsets<4>& at, int64_t count, const Offsets<4>& step) {
    const T* const from = x + at.of[1];
    for (int64_t i = 0; i < count; ++i) {
      const double away = static_cast<double>(load(from[i * step.of[1]])) - mean;
      squares += away * away;
    }
  });
  return {mean, 1 / std::sqrt(squares / static_cast<double>(n) + eps)};
}

// The values of weight and bias; nullptr for what is not given.
template <typename T>
struct Parameters {
  const T* weight;
  const T* bias;
};

template <typename T>
void normalise(const Walk<4>& row, const T* x, T* y, Parameters<T> given, Moments moments) {
  row.for_each_run([&](const Offsets<4>& at, int64_t count, const Offsets<4>& step) {
    const T* const from = x + at.of[1];
    T* const to = y + at.of[0];
    for (int64_t i = 0; i < count; ++i) {
      double value = static_cast<double>(load(from[i * step.of[1]])) - moments.mean;
      value *= moments.rstd;
      if (given.weight != nullptr)
        value *= static_cast<double>(load(given.weight[at.of[2] + i * step.of[2]]));
      if (given.bias != nullptr)
        value += static_cast<double>(load(given.bias[at.of[3] + i * step.of[3]]));
      to[i * step.of[0]] = round_to<T>(value);
    }
  });
}

template <typename T>
const T* values(const std::optional<Tensor>& tensor) {
  return tensor ? static_cast<const T*>(tensor->const_data_ptr()) : nullptr;
}

Strides strides_of(const std::optional<Tensor>& tensor) {
  return tensor ? kbench_cpu::strides_of(*tensor) : Strides();
}

// The strides of the normalised dimensions, which are the last ones.
Strides inner_strides(const Tensor& tensor, const Shape& leading) {
  const Strides all = kbench_cpu::strides_of(tensor);
  Strides inner = {};
  for (int i = leading.dim; i < rank(tensor); ++i)
    inner[static_cast<size_t>(i - leading.dim)] = all[static_cast<size_t>(i)];
  return inner;
}

template <typename T>
void layer_norm(const Tensor& input, const NormRows& rows, const std::optional<Tensor>& weight,
                const std::optional<Tensor>& bias, double eps, const Outputs& out) {
  auto& [out0, out1, out2] = out;
  const auto* const x = static_cast<const T*>(input.const_data_ptr());
  auto* const y = static_cast<T*>(out0.mutable_data_ptr());
  auto* const mean = static_cast<T*>(out1.mutable_data_ptr());
  auto* const rstd = static_cast<T*>(out2.mutable_data_ptr());
  const Parameters<T> given = {values<T>(weight), values<T>(bias)};
  const Walk<4> row(rows.normalised,
                    {inner_strides(out0, rows.leading), inner_strides(input, rows.leading),
                     strides_of(weight), strides_of(bias)});
  const Walk<4> all(rows.leading, {kbench_cpu::strides_of(out0), kbench_cpu::strides_of(input),
                                   kbench_cpu::strides_of(out1), kbench_cpu::strides_of(out2)});
  const int64_t n = rows.normalised.numel();
  all.for_each_run([&](const Offsets<4>& at, int64_t count, const Offsets<4>& step) {
    for (int64_t i = 0; i < count; ++i) {
      const T* const from = x + at.of[1] + i * step.of[1];
      const Moments found = moments(row, from, n, eps);
      mean[at.of[2] + i * step.of[2]] = round_to<T>(found.mean);
      rstd[at.of[3] + i * step.of[3]] = round_to<T>(found.rstd);
      normalise(row, from, y + at.of[0] + i * step.of[0], given, found);
    }
  });
}

}  // namespace

namespace native {

std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_out(
    KernelRuntimeContext& context, const Tensor& input, ArrayRef<int64_t> normalized_shape,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps,
    Tensor& out0, Tensor& out1, Tensor& out2) {
  const Outputs out(out0, out1, out2);
  const ScalarType type = input.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_floating(type), InvalidArgument, out,
                      "native_layer_norm takes Half, BFloat16, Float and Double");
  KBENCH_KERNEL_CHECK(
      context,
      out0.scalar_type() == type && out1.scalar_type() == type && out2.scalar_type() == type,
      InvalidArgument, out, "input and the outputs must have one element type");
  NormRows rows;
  KBENCH_KERNEL_CHECK(context, split_rows(input, normalized_shape, rows), InvalidArgument, out,
                      "normalized_shape must be the last sizes of input, at least one");
  KBENCH_KERNEL_CHECK(context, fits(weight, input, rows.normalised), InvalidArgument, out,
                      "weight must have normalized_shape and the element type of input");
  KBENCH_KERNEL_CHECK(context, fits(bias, input, rows.normalised), InvalidArgument, out,
                      "bias must have normalized_shape and the element type of input");
  if (!resize(context, input, rows, out)) return out;
  visit_floating(type, [&](auto tag) {
    layer_norm<typename decltype(tag)::type>(input, rows, weight, bias, eps, out);
  });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
