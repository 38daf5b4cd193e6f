// Condition over the parameters of configurations, made once and evaluated for millions of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/constraint.hpp"
#include "problem/formula.hpp"
#include "schema/configuration.hpp"

namespace kbench {

// Value of a parameter where a condition is evaluated: conditions are over integers, and truths as
// 0 and 1, so a word or a fraction leaves them open.
struct RestrictionOperand {
  std::int64_t value = 0;
  bool is_integer = false;
};

// Returns the value that conditions see of a parameter's.
RestrictionOperand operand_of(const ParameterValue& value);

// Range of the values that something may have, if it has one.
struct IntegerRange {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;

  bool is_point() const { return low == high; }
  bool has_zero() const { return low <= 0 && high >= 0; }
};

// Meaning of a name in a condition: a parameter, by its number, or a fact of the call.
struct ParameterNumber {
  std::uint32_t number = 0;
};
using RestrictionName = std::variant<ParameterNumber, Number>;
using NameLookup = std::function<std::optional<RestrictionName>(std::string_view name)>;

// Reason why a text makes no sense, whatever the values: it is no Python, it has a name that is
// neither parameter nor axis, or something beyond integers, arithmetic and comparisons.
struct RestrictionFlaw {
  std::string message;
  std::size_t index = 0;  // byte of the text
};

// Condition that holds as check_constraint() says of the same text, with the parameters' values
// among its integers.
class Restriction {
 public:
  using Outcome = ConstraintResult::Outcome;

  // `operands` holds every parameter's value, by number.
  Outcome evaluate(std::span<const RestrictionOperand> operands) const;
  bool holds(std::span<const RestrictionOperand> operands) const {
    return evaluate(operands) == Outcome::holds;
  }

  // Returns false only where it holds for no values of the parameters within these ranges, by
  // number. Values of parameters that are no integers are unknown: theirs is the widest range.
  bool may_hold(std::span<const IntegerRange> ranges) const;

  // Returns the number of its parts, which each evaluation may go through.
  std::size_t size() const { return formula_.nodes.size(); }
  // Returns the parameters that it depends on, rising.
  const std::vector<std::uint32_t>& parameters() const { return parameters_; }

 private:
  friend std::variant<Restriction, RestrictionFlaw> compile_restriction(const std::string& text,
                                                                        const NameLookup& names);
  friend class RestrictionBounds;
  Formula formula_;
  std::vector<RestrictionName> meanings_;  // meanings of its names
  std::vector<std::uint32_t> parameters_;
};

std::variant<Restriction, RestrictionFlaw> compile_restriction(const std::string& text,
                                                               const NameLookup& names);

}  // namespace kbench
