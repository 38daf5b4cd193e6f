// Constraints: Python expressions over a Definition's axes, with Python's meaning of // and %.
#pragma once

#include <compare>
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

// Values of the names in a constraint. A lookup returns nothing for a name that it does not know.
// Number that conditions compare. Fractions can be compared, and nothing is computed of them.
struct Number {
  Number(std::int64_t integer = 0, std::int64_t rest = 0) : value(integer), part(rest) {}
  auto operator<=>(const Number&) const = default;
  bool is_true() const { return *this != 0; }

  std::int64_t value, part;  // part: a fraction's rest beyond `value`, in parts of 2^62
};

// Returns nothing beyond 2^53, NaN included.
std::optional<Number> real_value(double number);
double real_of(const Number& number);
std::string number_text(const Number& number);

struct ConstraintScope {
  std::function<std::optional<Number>(std::string_view name)> number;  // axes, scalars
  std::function<std::optional<std::vector<std::int64_t>>(std::string_view tensor)> shape =
      [](std::string_view) { return std::nullopt; };
  // Element of a tensor; negative indices count from the end; nothing while values are not known.
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
    invalid,    // has no meaning, whatever the values: constraint_problems() says it
  };
  Outcome outcome = Outcome::holds;
  std::string message;                  // reason that it neither holds nor is violated
  std::vector<std::string> used_names;  // integers that took part, in order, for messages
};

// Understands integers, names, + - * / // % ** and unary signs, chained comparisons, and / or /
// not, `tensor.shape[i]`, `tensor[i].item()`, `len(tensor)`, `min`, `max`.
ConstraintResult check_constraint(const std::string& constraint, const ConstraintScope& scope);

// Fault of a Definition's constraint whatever the workload: a name that it does not have, a part
// that kbench cannot check, a division by zero or a comparison that never holds. The schema reports
// constraints that are no Python.
struct ConstraintProblem {
  std::size_t constraint = 0;  // index among the Definition's constraints
  std::size_t index = 0;       // byte of its text
  std::string message;
  std::string hint;
};
std::vector<ConstraintProblem> constraint_problems(const Definition& definition);

// Returns "x.dtype" for that attribute, for a scope that knows such names; "" for all else.
std::string dtype_name(const python::Expression& expression);

// A part that has no value, and the reason.
struct ExpressionFlaw {
  const python::Expression* part = nullptr;
  std::string message;
  std::string hint;
};

// Returns the first one in the order of the text: a name that the scope does not know, or a part
// beyond integers, arithmetic and comparisons.
std::optional<ExpressionFlaw> find_invalid_part(const python::Expression& expression,
                                                const ConstraintScope& scope);

}  // namespace kbench
