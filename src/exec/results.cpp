#include "exec/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "problem/element.hpp"

namespace kbench {
namespace {

using worker::Argument;
using worker::ArgumentKind;

std::optional<DType> dtype_of(const Argument& result) {
  return result.lanes == 1 ? find_dtype(result.dlpack_code, result.bits) : std::nullopt;
}

// Also of types that no Definition can declare: "float64", "uint8", "float32 x 4".
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
