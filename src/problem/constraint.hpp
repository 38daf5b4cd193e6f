// Constraints: Python expressions over a Definition's axes, with Python's meaning of // and %.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/definition.hpp"
#include "syntax/python.hpp"

namespace kbench {

// What the names of a constraint stand for. A lookup that knows nothing says nothing.
struct ConstraintScope {
  std::function<std::optional<std::int64_t>(std::string_view name)>
      integer;  // axes, integer scalars
  std::function<std::optional<std::vector<std::int64_t>>(std::string_view tensor)> shape =
      [](std::string_view) { return std::nullopt; };
  // Element of a tensor; negative indices count from the end. Nothing while values are not known.
  std::function<std::optional<std::int64_t>(std::string_view tensor,
                                            std::span<const std::int64_t> index)>
      element = [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; };
};

struct ConstraintResult {
  enum class Outcome {
    holds,
    violated,
    open,       // speaks of values that the scope does not know (yet)
    undefined,  // has no value for these: a division by zero
    unchecked,  // has a value that kbench cannot compute: beyond 64 bits, a fraction
    invalid,    // no sense can be made of it, whatever the values: constraint_problems() says it
  };
  Outcome outcome = Outcome::holds;
  std::string message;                  // why it neither holds nor is violated
  std::vector<std::string> used_names;  // for messages: the integers that took part, in order
};

// Integers, names, + - * / // % ** and unary signs, comparisons (chained, too), and / or / not,
// `tensor.shape[i]`, `tensor[i].item()`, `len(tensor)`, `min`, `max`.
ConstraintResult check_constraint(const std::string& constraint, const ConstraintScope& scope);

// What is wrong with a Definition's constraints whatever the workload: names that it does not have,
// what kbench cannot check, divisions by zero and comparisons that never hold. Constraints that are
// no Python are left to the schema.
struct ConstraintProblem {
  std::size_t constraint = 0;  // which one
  std::size_t index = 0;       // byte of its text
  std::string message;
  std::string hint;
};
std::vector<ConstraintProblem> constraint_problems(const Definition& definition);

// "x.dtype" of the attribute, for a scope that knows such names; "" of all else.
std::string dtype_name(const python::Expression& expression);

// A part that no value can be given, and why.
struct ExpressionFlaw {
  const python::Expression* part = nullptr;
  std::string message;
  std::string hint;
};

// The first one, in the order of the text: a name that the scope does not know, or what is beyond
// integers, arithmetic and comparisons.
std::optional<ExpressionFlaw> find_invalid_part(const python::Expression& expression,
                                                const ConstraintScope& scope);

}  // namespace kbench
