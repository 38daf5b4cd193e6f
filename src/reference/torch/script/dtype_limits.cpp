#include "reference/torch/script/dtype_limits.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {
namespace {

// What finfo was asked for, in order, since the reference was loaded.
struct Tape {
  LimitsTape mode = LimitsTape::off;
  std::vector<at::ScalarType> dtypes;
  std::size_t at = 0;    // place in a replay
  std::size_t load = 0;  // how many of them belong to loading
};
Tape tape;

at::ScalarType native_dtype(at::ScalarType asked) {
  if (tape.mode == LimitsTape::record) tape.dtypes.push_back(asked);
  const bool known = tape.mode == LimitsTape::replay && tape.at < tape.dtypes.size();
  return known ? tape.dtypes[tape.at++] : asked;
}

template <class T>
std::optional<double> limit(std::string_view field) {
  using Limits = std::numeric_limits<T>;
  if (field == "max") return static_cast<double>(Limits::max());
  if (field == "min") return static_cast<double>(Limits::lowest());
  if (field == "eps") return static_cast<double>(Limits::epsilon());
  if (field == "tiny" || field == "smallest_normal") return static_cast<double>(Limits::min());
  return std::nullopt;
}

std::optional<double> float_limit(at::ScalarType dtype, std::string_view field) {
  switch (dtype) {
    case at::kFloat:
      return limit<float>(field);
    case at::kDouble:
      return limit<double>(field);
    case at::kHalf:
      return limit<at::Half>(field);
    case at::kBFloat16:
      return limit<at::BFloat16>(field);
    case at::kFloat8_e4m3fn:
      return limit<at::Float8_e4m3fn>(field);
    case at::kFloat8_e5m2:
      return limit<at::Float8_e5m2>(field);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> integer_limit(at::ScalarType dtype, std::string_view field) {
  const int bits = static_cast<int>(8 * at::elementSize(dtype));
  if (field == "bits") return bits;
  if (!at::isIntegralType(dtype, false)) return std::nullopt;
  const bool is_signed = at::isSignedType(dtype);
  if (field == "min") return is_signed ? -(std::int64_t{1} << (bits - 2)) * 2 : 0;
  if (field == "max") {
    const auto all = ~std::uint64_t{0} >> (64 - bits);
    return static_cast<std::int64_t>(is_signed ? all >> 1 : all);
  }
  return std::nullopt;
}

template <class Limit>
void push_limit(torch::jit::Stack& stack, Limit limit_of, bool is_float) {
  const std::string field = torch::jit::pop(stack).toStringRef();
  auto dtype = static_cast<at::ScalarType>(torch::jit::pop(stack).toInt());
  if (is_float) dtype = native_dtype(dtype);
  const auto value = limit_of(dtype, field);
  TORCH_CHECK(value, "dtype ", at::toString(dtype), " has no limit \"", field, "\"");
  torch::jit::push(stack, *value);
}

}  // namespace

void set_limits_tape(LimitsTape mode) {
  tape.mode = mode;
  tape.at = 0;
  if (mode == LimitsTape::record) tape = {mode, {}, 0, 0};
}

void begin_call_on_limits_tape() {
  if (tape.mode == LimitsTape::record) tape.load = tape.dtypes.size();
  tape.at = tape.load;
}

void push_float_limit(torch::jit::Stack& stack) { push_limit(stack, float_limit, true); }
void push_integer_limit(torch::jit::Stack& stack) { push_limit(stack, integer_limit, false); }

}  // namespace kbench
