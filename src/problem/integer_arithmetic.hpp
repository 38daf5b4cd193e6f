// Python's arithmetic on integers, as far as 64 bits hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kbench {

enum class IntegerOperator { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class IntegerComparison { equal, unequal, less, less_or_equal, greater, greater_or_equal };

// Return what a token of Python means: + - * / // % ** and == != < <= > >=.
std::optional<IntegerOperator> integer_operator(std::string_view token);
std::optional<IntegerComparison> integer_comparison(std::string_view token);

// Why there is no value.
enum class NoInteger { none, too_large, division_by_zero, fraction, negative_exponent };

struct IntegerValue {
  std::int64_t value = 0;
  NoInteger flaw = NoInteger::none;
};

// Quotients are rounded towards minus infinity and remainders have the divisor's sign; `/` has a
// value where nothing remains.
IntegerValue calculate(IntegerOperator op, std::int64_t a, std::int64_t b);
bool compare(IntegerComparison op, std::int64_t a, std::int64_t b);

}  // namespace kbench
