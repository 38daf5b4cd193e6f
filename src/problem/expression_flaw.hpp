// What keeps an expression over a Definition's axes from having a value, whatever the workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/constraint.hpp"
#include "syntax/python.hpp"

namespace kbench {

bool is_division(std::string_view op);
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

// What else a name may have meant.
std::string names_hint(const Definition& definition, const std::string& name);

}  // namespace kbench
