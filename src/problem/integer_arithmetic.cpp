#include "problem/integer_arithmetic.hpp"

#include <array>
#include <utility>

namespace kbench {
namespace {

template <class Kind, std::size_t size>
std::optional<Kind> kind_of(std::string_view token,
                            const std::array<std::pair<std::string_view, Kind>, size>& kinds) {
  for (const auto& [text, kind] : kinds) {
    if (text == token) return kind;
  }
  return std::nullopt;
}

IntegerValue power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0)
    return {0, base == 0 ? NoInteger::division_by_zero : NoInteger::negative_exponent};
  IntegerValue result{1};
  for (std::int64_t i = 0; i < exponent && result.value != 0; ++i) {
    if ((base == 1 || base == -1) && i == exponent % 2) return result;  // nothing changes any more
    if (__builtin_mul_overflow(result.value, base, &result.value)) return {0, NoInteger::too_large};
  }
  return result;
}

// a / b, a // b or a % b
IntegerValue divide(IntegerOperator op, std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, NoInteger::division_by_zero};
  if (a == INT64_MIN && b == -1) return {0, NoInteger::too_large};
  const std::int64_t rest = a % b;  // of the sign of a; Python's has that of b
  const bool is_below = rest != 0 && (rest < 0) != (b < 0);
  if (op == IntegerOperator::modulo) return {is_below ? rest + b : rest};
  if (op == IntegerOperator::divide && rest != 0) return {0, NoInteger::fraction};
  return {a / b - (is_below ? 1 : 0)};
}

}  // namespace

std::optional<IntegerOperator> integer_operator(std::string_view token) {
  using enum IntegerOperator;
  return kind_of(token,
                 std::to_array<std::pair<std::string_view, IntegerOperator>>({{"+", add},
                                                                              {"-", subtract},
                                                                              {"*", multiply},
                                                                              {"/", divide},
                                                                              {"//", floor_divide},
                                                                              {"%", modulo},
                                                                              {"**", power}}));
}

std::optional<IntegerComparison> integer_comparison(std::string_view token) {
  using enum IntegerComparison;
  return kind_of(token, std::to_array<std::pair<std::string_view, IntegerComparison>>(
                            {{"==", equal},
                             {"!=", unequal},
                             {"<", less},
                             {"<=", less_or_equal},
                             {">", greater},
                             {">=", greater_or_equal}}));
}

IntegerValue calculate(IntegerOperator op, std::int64_t a, std::int64_t b) {
  IntegerValue result;
  bool overflow = false;
  switch (op) {
    case IntegerOperator::add:
      overflow = __builtin_add_overflow(a, b, &result.value);
      break;
    case IntegerOperator::subtract:
      overflow = __builtin_sub_overflow(a, b, &result.value);
      break;
    case IntegerOperator::multiply:
      overflow = __builtin_mul_overflow(a, b, &result.value);
      break;
    case IntegerOperator::power:
      return power(a, b);
    default:
      return divide(op, a, b);
  }
  return overflow ? IntegerValue{0, NoInteger::too_large} : result;
}

bool compare(IntegerComparison op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case IntegerComparison::equal:
      return a == b;
    case IntegerComparison::unequal:
      return a != b;
    case IntegerComparison::less:
      return a < b;
    case IntegerComparison::less_or_equal:
      return a <= b;
    case IntegerComparison::greater:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace kbench
