// Definition × Workload → Problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/constraint.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "schema/dtype.hpp"
#include "schema/place.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Returns nothing when an error was reported: names of axes or inputs not the Definition's, an
// input of the wrong kind, a violated constraint. `line` is the workload's line in its file.
std::optional<Problem> bind(const Definition& definition, const Workload& workload,
                            const Place& line, Diagnostics& diagnostics);

// Returns a diagnostic of a workload; its message begins with the uuid.
Diagnostic of_workload(Level level, Where where, std::string_view uuid, std::string_view message,
                       std::string hint = "");

// Scope of this problem's constraints: its axes, its integer scalars, its shapes; not the values of
// tensors. Refers to `problem`.
ConstraintScope scope_of(const Problem& problem);

// Checks one constraint and reports it when it is violated ("constraint … is violated: M = 3, …"),
// has no value, or has one that is not computed. Returns true when it is open.
bool report_constraint(const Problem& problem, const std::string& constraint,
                       const ConstraintScope& scope, const Place& line, Diagnostics& diagnostics);

using Shape = std::vector<std::int64_t>;
using MaybeShape = std::optional<Shape>;  // null: a Python scalar

// The shapes of `tensors` for these var axes; `error` names an axis without a value.
struct Shapes {
  std::vector<MaybeShape> shapes;
  std::string error;
};
Shapes shapes_of(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                 const OrderedMap<std::int64_t>& axes);

// A workload's literal → the scalar that a candidate gets.

// Returns the scalar that a literal stands for in the declared dtype (JSON's 1 may be meant for a
// float); nothing where the dtype cannot hold it. All floating dtypes hold infinities and NaN that
// are written as such.
std::optional<Scalar> bind_scalar(DType dtype, const ScalarValue& literal);

// Returns the literal as it is written.
std::string text_of(const ScalarValue& literal);

// Returns the values that a dtype holds, for a hint: "int8 holds whole numbers from -128 to 127".
std::string range_text(DType dtype);

}  // namespace kbench
