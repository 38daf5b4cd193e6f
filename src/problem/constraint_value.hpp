// The value of a constraint's expression, by Python's arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/constraint.hpp"
#include "syntax/python.hpp"

namespace kbench {

// Reason that an expression has no value.
struct NoValue {
  ConstraintResult::Outcome outcome = ConstraintResult::Outcome::open;
  std::string message;
};
using ConstraintValue = std::variant<std::int64_t, NoValue>;

// A bool is 0 or 1. The names that took part are added to `used_names`, each once.
ConstraintValue constraint_value(const python::Expression& expression, const ConstraintScope& scope,
                                 std::vector<std::string>* used_names = nullptr);
// The value of a text; one that is no Python is invalid.
ConstraintValue constraint_value(std::string_view text, const ConstraintScope& scope);
std::optional<std::int64_t> integer_of(const ConstraintValue& value);

// Python's arithmetic on integers, as far as 64 bits hold it.
enum class IntegerOperator { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class IntegerComparison { equal, unequal, less, less_or_equal, greater, greater_or_equal };

// Operators that tokens of Python mean: + - * / // % ** and == != < <= > >=.
std::optional<IntegerOperator> integer_operator(std::string_view token);
std::optional<IntegerComparison> integer_comparison(std::string_view token);

// Reason that there is no value.
enum class NoInteger : std::uint8_t {
  none,  // has a value
  division_by_zero,
  no_axis,  // an index beyond a tensor's axes
  too_large,
  fraction,
  negative_exponent,
  no_integer,
  unknown_values,  // a name without a value in the scope
  attribute,
  tensor_values,
  function,
};

// Tells whether the values of a workload may still give it one.
inline bool is_open(NoInteger flaw) { return flaw >= NoInteger::unknown_values; }
ConstraintResult::Outcome outcome_of(NoInteger flaw);

struct IntegerValue : Number {
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  NoInteger flaw = NoInteger::none;
  std::uint32_t node = nowhere;  // the formula's node that has the flaw

  bool has_value() const { return flaw == NoInteger::none; }
};

// Value of a real number in Python's words; nothing of other texts.
std::optional<Number> real_value(std::string_view literal);

// Quotients are rounded towards minus infinity and remainders have the divisor's sign; `/` has a
// value where nothing remains.
IntegerValue calculate(IntegerOperator op, std::int64_t a, std::int64_t b);
bool compare(IntegerComparison op, const Number& a, const Number& b);

}  // namespace kbench
