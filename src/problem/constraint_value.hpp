// The value of a constraint's expression, by Python's arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "problem/constraint.hpp"
#include "syntax/python.hpp"

namespace kbench {

// Why an expression has no value.
struct NoValue {
  ConstraintResult::Outcome outcome = ConstraintResult::Outcome::open;
  std::string message;
};
using ConstraintValue = std::variant<std::int64_t, NoValue>;

// A bool is 0 or 1. The names that took part are added to `used_names`, each once.
ConstraintValue constraint_value(const python::Expression& expression, const ConstraintScope& scope,
                                 std::vector<std::string>& used_names);

}  // namespace kbench
