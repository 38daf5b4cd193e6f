#include "exec/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <stdexcept>

#include "problem/element.hpp"

namespace kbench {
namespace {

using worker::Argument;

Argument describe_tensor(const TensorView& view, std::size_t offset) {
  if (view.shape.size() > worker::max_rank)
    throw std::runtime_error("a tensor has more than 8 axes");
  const DTypeInfo& type = info(view.dtype);
  Argument argument{};
  argument.kind = worker::ArgumentKind::tensor;
  argument.dlpack_code = type.dlpack_code;
  argument.bits = static_cast<std::uint8_t>(type.bits);
  argument.lanes = 1;
  argument.rank = static_cast<std::int32_t>(view.shape.size());
  std::copy(view.shape.begin(), view.shape.end(), argument.shape);
  argument.offset = offset;
  argument.bytes = view.bytes;
  return argument;
}

void pack(Argument& argument, DType dtype, const Scalar& scalar) {
  const DTypeInfo& type = info(dtype);
  argument.dlpack_code = type.dlpack_code;
  argument.bits = static_cast<std::uint8_t>(type.bits);
  argument.lanes = 1;
  if (const auto* number = std::get_if<double>(&scalar)) {
    encode(dtype, std::span(number, 1), argument.packed, 0);
    return;
  }
  const auto* integer = std::get_if<std::int64_t>(&scalar);
  const std::int64_t value = integer != nullptr ? *integer : std::get<bool>(scalar);
  std::memcpy(argument.packed, &value, sizeof value);  // the low bytes come first
}

Argument describe_scalar(DType dtype, const Scalar& scalar) {
  Argument argument{};
  pack(argument, dtype, scalar);
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    argument.kind = worker::ArgumentKind::integer;
    argument.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&scalar)) {
    argument.kind = worker::ArgumentKind::number;
    argument.number = *number;
  } else {
    argument.kind = worker::ArgumentKind::boolean;
    argument.integer = std::get<bool>(scalar);
  }
  return argument;
}

void name_argument(Argument& argument, const std::string& name) {
  name.copy(argument.name, sizeof argument.name - 1);  // the rest is zeros
}

}  // namespace

void describe_arguments(worker::Control& control, const Inputs& inputs,
                        const PoisonedOutputs& outputs, const std::vector<std::string>& scratch) {
  if (inputs.values.size() > worker::max_arguments ||
      outputs.views().size() > worker::max_arguments) {
    throw std::runtime_error(fmt::format("more than {} inputs or outputs", worker::max_arguments));
  }
  control.input_count = static_cast<std::int32_t>(inputs.values.size());
  control.output_count = static_cast<std::int32_t>(outputs.views().size());
  for (std::size_t i = 0; i < inputs.values.size(); ++i) {
    const BoundInput& input = inputs.values[i];
    control.inputs[i] = input.scalar ? describe_scalar(input.tensor.dtype, *input.scalar)
                                     : describe_tensor(input.tensor, input.offset);
    const bool may_write = std::find(scratch.begin(), scratch.end(), input.name) != scratch.end();
    control.inputs[i].is_scratch = may_write ? 1 : 0;
    name_argument(control.inputs[i], input.name);
  }
  for (std::size_t i = 0; i < outputs.views().size(); ++i) {
    control.outputs[i] = describe_tensor(outputs.views()[i], outputs.offset(i));
    name_argument(control.outputs[i], outputs.name(i));
  }
}

namespace {

Argument describe_parameter(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return describe_scalar(DType::int64, *integer);
  if (const auto* number = std::get_if<double>(&value))
    return describe_scalar(DType::float32, *number);
  return describe_scalar(DType::boolean, std::get<bool>(value));  // words are macros alone
}

}  // namespace

void add_parameters(worker::Control& control, const Configuration& runtime) {
  for (const auto& [name, value] : runtime) {
    if (control.input_count == static_cast<std::int32_t>(worker::max_arguments))
      throw std::runtime_error(
          fmt::format("more than {} inputs, with the parameters of the "
                      "configuration",
                      worker::max_arguments));
    control.inputs[control.input_count++] = describe_parameter(value);
  }
}

std::vector<std::string> scalars_of(const Inputs& inputs) {
  std::vector<std::string> dtypes;
  for (const BoundInput& input : inputs.values)
    dtypes.emplace_back(input.scalar ? info(input.tensor.dtype).name : "");
  return dtypes;
}

namespace {

using worker::Argument;
using worker::ArgumentKind;

std::optional<DType> dtype_of(const Argument& result) {
  return result.lanes == 1 ? find_dtype(result.dlpack_code, result.bits) : std::nullopt;
}

// Names types that no Definition can declare, too: "float64", "uint8", "float32 x 4".
std::string dtype_text(const Argument& result) {
  if (const auto dtype = dtype_of(result)) return std::string(info(*dtype).name);
  constexpr std::array<const char*, 7> families = {"int",    "uint",    "float", "handle",
                                                   "bfloat", "complex", "bool"};
  const std::string family = result.dlpack_code < families.size()
                                 ? families[result.dlpack_code]
                                 : fmt::format("DLPack type {} of bits ", result.dlpack_code);
  const std::string lanes = result.lanes == 1 ? "" : fmt::format(" x {}", result.lanes);
  return fmt::format("{}{}{}", family, result.bits, lanes);
}

TensorView view_of(const Argument& result, const TensorView& declared) {
  TensorView view = declared;
  if (result.kind != ArgumentKind::tensor) {
    view.shape.clear();
    if (!declared.shape.empty()) view.data = nullptr;
    return view;
  }
  const auto dtype = dtype_of(result);
  view.dtype = dtype.value_or(declared.dtype);
  view.shape.assign(result.shape, result.shape + std::clamp(result.rank, 0, worker::max_rank));
  if (!dtype || result.bytes != declared.bytes) view.data = nullptr;
  view.bytes = result.bytes;
  return view;
}

}  // namespace

void store_numbers(const worker::Control& control, PoisonedOutputs& outputs) {
  for (std::size_t i = 0; i < outputs.views().size(); ++i) {
    const Argument result = control.results[i];
    const TensorView& declared = outputs.views()[i];
    if (result.kind == ArgumentKind::tensor || !declared.shape.empty()) continue;
    if (declared.dtype == DType::int64 && result.kind != ArgumentKind::number) {
      std::memcpy(outputs.data(i), &result.integer, sizeof result.integer);
      continue;
    }
    const double value =
        result.kind == ArgumentKind::number ? result.number : static_cast<double>(result.integer);
    encode(declared.dtype, std::span(&value, 1), outputs.data(i), 0);
  }
}

std::vector<TensorView> returned_views(const worker::Control& control,
                                       const PoisonedOutputs& outputs) {
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < outputs.views().size(); ++i)
    views.push_back(view_of(Argument(control.results[i]), outputs.views()[i]));
  return views;
}

std::optional<CandidateFailure> result_mismatch(const worker::Control& control,
                                                const PoisonedOutputs& outputs) {
  for (std::size_t i = 0; i < outputs.views().size(); ++i) {
    const Argument result = control.results[i];
    const TensorView& declared = outputs.views()[i];
    const TensorView view = view_of(result, declared);
    if (view.shape != declared.shape) {
      return CandidateFailure{
          Status::incorrect_shape,
          fmt::format("output \"{}\" has shape {}, declared is {}", outputs.name(i),
                      shape_text(view.shape), shape_text(declared.shape))};
    }
    if (result.kind == ArgumentKind::tensor && dtype_of(result) != declared.dtype) {
      return CandidateFailure{
          Status::incorrect_dtype,
          fmt::format("output \"{}\" has dtype {}, declared is {}", outputs.name(i),
                      dtype_text(result), info(declared.dtype).name)};
    }
  }
  return std::nullopt;
}

}  // namespace kbench
