// SPDX-License-Identifier: Apache-2.0
// quantized_decomposed::quantize_per_tensor.out and dequantize_per_tensor.out: real values as small
// whole numbers, value = (code - zero_point) * scale.
#include <cmath>
#include <optional>

#include "dtypes.h"
#include "elementwise.h"

namespace kbench_cpu {
namespace {

// Of the arguments that both kernels have. `type` is the codes' element type.
const char* problem_of(ScalarType type, double scale, int64_t quant_min, int64_t quant_max) {
  if (!is_code(type)) return "codes are Byte, Char, Short or Int";
  const Limits range = limits(type);
  if (quant_min < range.lowest || quant_max > range.highest || quant_min > quant_max)
    return "quant_min and quant_max must be a range within that of dtype";
  if (!std::isfinite(scale) || scale <= 0) return "scale must be a number above 0";
  return "";
}

struct Coding {
  double scale;
  double zero_point;
  double lowest;
  double highest;
};

// PyTorch divides by multiplying, and that in a float; so the same values lie halfway between two
// codes here. A value that is no number becomes the code of 0.
template <typename In, typename Code>
void quantize(const Tensor& input, const Coding& coding, Tensor& out) {
  using C = Arithmetic<In>;
  const C inverse = static_cast<C>(1 / coding.scale);
  map<Code, In>(input, out, [=](In value) {
    const double steps = static_cast<double>(std::nearbyint(load(value) * inverse));
    double code = (std::isnan(steps) ? 0 : steps) + coding.zero_point;
    code = code < coding.lowest ? coding.lowest : code;
    return static_cast<Code>(code > coding.highest ? coding.highest : code);
  });
}

template <typename Code, typename Out>
void dequantize(const Tensor& input, const Coding& coding, Tensor& out) {
  using C = Arithmetic<Out>;
  const C scale = static_cast<C>(coding.scale);
  map<Out, Code>(input, out, [=](Code code) {
    const double steps = static_cast<double>(code) - coding.zero_point;
    return round_to<Out>(static_cast<C>(steps) * scale);
  });
}

}  // namespace

namespace native {

Tensor& quantize_per_tensor_out(KernelRuntimeContext& context, const Tensor& input, double scale,
                                int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                ScalarType dtype, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, is_floating(input.scalar_type()), InvalidArgument, out,
                      "input must be Half, BFloat16, Float or Double");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == dtype, InvalidArgument, out,
                      "out must have the element type dtype");
  const char* const problem = problem_of(dtype, scale, quant_min, quant_max);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  if (!resize(context, out, shape_of(input))) return out;
  const Coding coding = {scale, static_cast<double>(zero_point), static_cast<double>(quant_min),
                         static_cast<double>(quant_max)};
  visit_floating(input.scalar_type(), [&](auto in) {
    visit_code(dtype, [&](auto code) {
      quantize<typename decltype(in)::type, typename decltype(code)::type>(input, coding, out);
    });
  });
  return out;
}

Tensor& dequantize_per_tensor_out(KernelRuntimeContext& context, const Tensor& input, double scale,
                                  int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                  ScalarType dtype, std::optional<ScalarType> out_dtype,
                                  Tensor& out) {
  const ScalarType wanted = out_dtype.value_or(ScalarType::Float);
  KBENCH_KERNEL_CHECK(context, input.scalar_type() == dtype, InvalidArgument, out,
                      "input must have the element type dtype");
  KBENCH_KERNEL_CHECK(context, is_floating(wanted) && out.scalar_type() == wanted, InvalidArgument,
                      out, "out must have the element type out_dtype, else Float");
  const char* const problem = problem_of(dtype, scale, quant_min, quant_max);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  if (!resize(context, out, shape_of(input))) return out;
  const Coding coding = {scale, static_cast<double>(zero_point), static_cast<double>(quant_min),
                         static_cast<double>(quant_max)};
  visit_code(dtype, [&](auto code) {
    visit_floating(wanted, [&](auto type) {
      dequantize<typename decltype(code)::type, typename decltype(type)::type>(input, coding, out);
    });
  });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
