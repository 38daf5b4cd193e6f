#include "torch/arguments.hpp"

#include <ATen/ATen.h>

#include <variant>

#include "torch/scalar_type.hpp"

namespace kbench {
namespace {

c10::IValue scalar_value(const ReferenceArgument& argument) {
  return std::visit(
      [&](auto value) -> c10::IValue {
        switch (info(argument.dtype).kind) {
          case DTypeKind::floating:
            return static_cast<double>(value);
          case DTypeKind::integer:
            return static_cast<std::int64_t>(value);
          case DTypeKind::boolean:
            return static_cast<bool>(value);
        }
        return {};
      },
      argument.scalar);
}

// SplitMix64's finaliser (Steele, Lea and Flood 2014), which turns a counter into random bits.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

void perturb(at::Tensor& tensor, double size, std::uint64_t stream) {
  double* values = tensor.mutable_data_ptr<double>();
  const std::uint64_t key = mixed(stream);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::uint64_t bits = mixed(key + static_cast<std::uint64_t>(i)) >> 11;
    const double uniform = (static_cast<double>(bits) + 0.5) * 0x1p-53;  // in (0, 1)
    values[i] *= 1 + size * (2 * uniform - 1);
  }
}

}  // namespace

c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs) {
  if (argument.is_scalar) return scalar_value(argument);
  std::vector<std::int64_t> shape = argument.shape;
  if (argument.dtype == DType::float4_e2m1 && !shape.empty()) shape.back() /= 2;
  const auto options = at::TensorOptions().dtype(scalar_type(argument.dtype));
  if (argument.bytes == 0) return at::empty(shape, options);
  return at::from_blob(inputs.data(argument), shape, options);
}

std::vector<c10::IValue> native_arguments(const std::vector<ReferenceArgument>& arguments,
                                          const PrivateInputs& inputs) {
  std::vector<c10::IValue> values;
  for (const ReferenceArgument& argument : arguments) {
    values.push_back(native_argument(argument, inputs));
  }
  return values;
}

bool is_widened(const ReferenceArgument& argument, const ExactInputs& how) {
  const DTypeInfo& dtype = info(argument.dtype);
  if (argument.is_scalar || dtype.kind != DTypeKind::floating || dtype.bits < 8) return false;
  return dtype.bits > 8 || !how.keeps_float8;
}

std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how) {
  std::vector<c10::IValue> values;
  for (const ReferenceArgument& argument : arguments) {
    values.push_back(native_argument(argument, inputs));
    if (!is_widened(argument, how)) continue;
    at::Tensor wide = values.back().toTensor().to(at::kDouble);
    if (how.perturbation > 0) perturb(wide, how.perturbation, mixed(how.run) + values.size());
    values.back() = std::move(wide);
  }
  return values;
}

}  // namespace kbench
