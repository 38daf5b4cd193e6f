#include "reference/torch/exact/certainty.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/words.hpp"
#include "problem/origin.hpp"
#include "reference/torch/exact/inner_rounding.hpp"
#include "reference/torch/exact/operator_names.hpp"
#include "reference/torch/exact/tensor_kinds.hpp"

namespace kbench {
namespace {

using c10::IValue;

// These ask how numbers lie to each other, or have no other number than one that is given, and
// calculate nothing.
constexpr std::string_view exact_operators[] = {"eq",
                                                "ne",
                                                "lt",
                                                "le",
                                                "gt",
                                                "ge",
                                                "less",
                                                "less_equal",
                                                "greater",
                                                "equal",
                                                "not_equal",
                                                "greater_equal",
                                                "isnan",
                                                "isinf",
                                                "isfinite",
                                                "signbit",
                                                "logical_not",
                                                "logical_and",
                                                "logical_or",
                                                "logical_xor",
                                                "nonzero",
                                                "any",
                                                "all",
                                                "count_nonzero",
                                                "searchsorted",
                                                "bucketize",
                                                "amax",
                                                "amin",
                                                "aminmax",
                                                "cummax",
                                                "cummin",
                                                "unique",
                                                "_unique2",
                                                "unique_dim",
                                                "is_nonzero",
                                                "median",
                                                "heaviside",
                                                "nonzero_numpy",
                                                "unique_consecutive",
                                                "ones_like",
                                                "zeros_like",
                                                "full_like",
                                                "new_ones",
                                                "new_zeros",
                                                "new_full",
                                                "full",
                                                "ones",
                                                "zeros"};

// Whole numbers of whole numbers.
constexpr std::string_view whole_arithmetic[] = {"add", "sub",    "rsub",     "mul",
                                                 "sum", "cumsum", "subtract", "multiply"};

// Beside a tensor a scalar has that tensor's dtype in PyTorch, and a program may have it in
// float32: they are one number where bfloat16 has it.
bool is_narrow(double number) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(number, &exponent), 8);
  return !std::isfinite(number) || significand == std::trunc(significand);
}

bool is_wide_scalar(const IValue& value) {
  if (value.isDouble()) return !is_narrow(value.toDouble());
  if (value.isInt()) return !is_narrow(static_cast<double>(value.toInt()));
  return is_double(value) && value.toTensor().dim() == 0 &&
         !is_narrow(value.toTensor().item<double>());
}

// Conversions to float8 and to another tensor's dtype round natively, and the double run does not.
// The name of any other dtype means float64 in the double run, so what the reference converts by
// name before it compares counts as certain: programs are held to its native answer.
bool may_narrow(std::string_view name, const std::vector<IValue>& given) {
  if (name == "type_as") return true;
  if (name != "to" && name != "_to_copy") return false;
  return std::any_of(given.begin() + 1, given.end(), [](const IValue& value) {
    if (value.isTensor()) return true;  // as another tensor is
    if (!value.isInt()) return false;
    const auto dtype = static_cast<at::ScalarType>(value.toInt());
    return c10::isFloat8Type(dtype);
  });
}

bool all_whole(const std::vector<IValue>& values) {
  return std::all_of(values.begin(), values.end(), [](const IValue& value) {
    if (value.isTensorList()) return false;
    return !is_double(value) || is_whole(value.toTensor());
  });
}

bool calculates_with_whole(std::string_view name, const std::vector<IValue>& given,
                           const IValue& result) {
  return (is_one_of(name, whole_arithmetic) || is_product(name)) && all_whole(given) &&
         all_whole({result});
}

}  // namespace

bool stays_certain(const c10::OperatorHandle& op, const std::vector<IValue>& given,
                   const IValue& result, bool only_moves) {
  const std::string_view name = bare_name(op);
  if (find_operator(choosers, name) != nullptr && is_index(result)) return false;
  const bool takes_floats =
      is_double(result) || std::any_of(given.begin(), given.end(), [](const IValue& value) {
        return is_double(value) || value.isTensorList();
      });
  if (!takes_floats) return true;
  if (may_narrow(name, given)) return false;
  if (only_moves || is_one_of(name, exact_operators))
    return std::none_of(given.begin(), given.end(), is_wide_scalar);
  return calculates_with_whole(name, given, result);
}

}  // namespace kbench
