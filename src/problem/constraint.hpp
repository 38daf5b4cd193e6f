// Constraints: Python expressions over a Definition's axes, with Python's meaning of // and %.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// What the names of a constraint stand for. A lookup that knows nothing says nothing.
struct ConstraintScope {
  std::function<std::optional<std::int64_t>(std::string_view name)>
      integer;  // axes, integer scalars
  std::function<std::optional<std::vector<std::int64_t>>(std::string_view tensor)> shape;
  // Element of a tensor; negative indices count from the end. Nothing while values are not known.
  std::function<std::optional<std::int64_t>(std::string_view tensor,
                                            std::span<const std::int64_t> index)>
      element;
};

struct ConstraintResult {
  enum class Outcome {
    holds,
    violated,
    open,     // speaks of values that the scope does not know (yet)
    invalid,  // no sense can be made of it: unknown name, division by zero, overflow, syntax
  };
  Outcome outcome = Outcome::holds;
  std::string message;                  // for open and invalid: why
  std::vector<std::string> used_names;  // for messages: the integers that took part, in order
};

// Integers, names, + - * // % ** and unary signs, comparisons (chained, too), and / or / not,
// `tensor.shape[i]`, `tensor[i].item()`, `len(tensor)`.
ConstraintResult check_constraint(const std::string& constraint, const ConstraintScope& scope);

}  // namespace kbench
