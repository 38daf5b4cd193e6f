#include "reference/torch/exact/arguments.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <span>
#include <variant>

#include "base/simd.hpp"
#include "problem/element.hpp"
#include "reference/torch/exact/scalar_type.hpp"

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

// Each value times 1 + δ, δ uniform in (-size, size). Elements are counted from `first`.
KBENCH_SIMD void perturb(std::span<double> values, double size, std::uint64_t first) {
  constexpr std::uint64_t one = 0x3FF0000000000000;  // the bits of 1.0; 52 of a fraction follow
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double uniform = std::bit_cast<double>(one | mixed(first + i) >> 12);  // in [1, 2)
    values[i] *= 1 + size * (2 * uniform - (3 - 0x1p-52));
  }
}

std::uint64_t key_of(const ExactInputs& how, std::uint64_t place) {
  return mixed(mixed(how.run) + place);
}

// As float64; perturbed block by block, while it is in the cache.
at::Tensor exact_tensor(const ReferenceArgument& argument, const at::Tensor& native,
                        const ExactInputs& how, std::uint64_t place) {
  at::Tensor wide = at::empty(native.sizes(), at::kDouble);
  const auto* bytes = static_cast<const std::byte*>(native.const_data_ptr());
  const std::span all(wide.mutable_data_ptr<double>(), static_cast<std::size_t>(wide.numel()));
  const std::uint64_t key = key_of(how, place);
  for (std::size_t first = 0; first < all.size(); first += 4096) {
    const auto block = all.subspan(first, std::min<std::size_t>(4096, all.size() - first));
    decode(argument.dtype, bytes, first, block);
    if (how.perturbation > 0) perturb(block, how.perturbation, key + first);
  }
  return wide;
}

}  // namespace

c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs) {
  if (argument.is_scalar) return scalar_value(argument);
  std::vector<std::int64_t> shape = argument.shape;
  if (argument.dtype == DType::float4_e2m1 && !shape.empty()) shape.back() /= 2;
  const auto options =
      at::TensorOptions().dtype(argument.is_double ? at::kDouble : scalar_type(argument.dtype));
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

bool is_widened(const ReferenceArgument& argument) {
  const DTypeInfo& dtype = info(argument.dtype);
  return !argument.is_scalar && dtype.kind == DTypeKind::floating && dtype.bits >= 8;
}

void perturb(at::Tensor& tensor, const ExactInputs& how, std::uint64_t place) {
  const std::span all(tensor.mutable_data_ptr<double>(), static_cast<std::size_t>(tensor.numel()));
  perturb(all, how.perturbation, key_of(how, place));
}

std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how) {
  std::vector<c10::IValue> values;
  for (const ReferenceArgument& argument : arguments) {
    values.push_back(native_argument(argument, inputs));
    if (!is_widened(argument)) continue;
    values.back() = exact_tensor(argument, values.back().toTensor(), how, values.size());
  }
  return values;
}

}  // namespace kbench
