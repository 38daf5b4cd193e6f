// Knowledge of a value while a reference's text is read: numbers as expressions over axes, and
// whose elements it has. Nothing is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/constraint.hpp"

namespace kbench {

// A whole number as Python's text over the names of axes and integer inputs: "num_pages * 16"; ""
// where it is not known.
using Size = std::string;

// Returns left op right; "" where one is not known.
Size combined(const Size& left, std::string_view op, const Size& right);
Size product(const std::vector<Size>& sizes);
std::optional<std::int64_t> size_value(const Size& size, const ConstraintScope& scope);

// An input with its sign.
struct Summand {
  std::string input;
  int sign = 1;
};

// (x * factor + shift + up to spread) // divisor, where x is the sum of an element of each of
// `terms`.
struct Value {
  std::vector<std::string> terms;  // integer inputs; one twice: a running sum of its elements
  Size factor = "1";
  Size shift = "0";
  Size spread = "0";
  Size divisor = "1";
  bool is_below = false;   // any number from 0 to below that: a loop up to it
  bool wraps = false;      // % n: any number will do
  bool from_zero = false;  // 0 in a loop's first round
  bool is_mask = false;    // truth values
  std::string difference;  // the input whose neighbours this is the difference of

  std::optional<std::vector<Size>> shape;  // a tensor's shape
  Size number;                             // a number's text
  Size below;                              // it is any number from 0 to below this
  std::string input;                       // input that it is
  std::string origin;                      // input that real numbers are, but for scale
  std::vector<Summand> summands;           // inputs that real numbers are a sum of, but for scale
  std::vector<Summand> gates;              // the summands of what a sigmoid was taken of
  std::vector<Value> items;                // items of a tuple or list
  bool is_rows = false;                    // many such tuples: zip(…), enumerate(…)

  bool is_plain() const { return factor == "1" && shift == "0" && spread == "0" && divisor == "1"; }
};

Value number_value(Size number);
Value shaped(std::optional<std::vector<Size>> shape);
// Returns the elements' meaning alone: not that of the tensor, input or tuple they were of.
Value elements_alone(const Value& value);
std::vector<Summand> negated(std::vector<Summand> summands);
// Arithmetic of two values.
Value arithmetic(const std::string& op, const Value& left, const Value& right);

}  // namespace kbench
