// Definition × Workload → Problem.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/constraint.hpp"
#include "problem/problem.hpp"
#include "schema/place.hpp"

namespace kbench {

// Nothing when an error was reported: names of axes and inputs that are not the Definition's, an
// input of the wrong kind, a violated constraint. `line` is the workload's line in its file.
std::optional<Problem> bind(const Definition& definition, const Workload& workload,
                            const Place& line, Diagnostics& diagnostics);

// What a constraint of this problem may speak of: its axes, its integer scalars, its shapes; not
// the values of tensors. Refers to `problem`.
ConstraintScope scope_of(const Problem& problem);

// Checks one constraint and reports it when it is violated ("constraint … is violated: M = 3, …"),
// has no value, or has one that is not computed. True when it is open.
bool report_constraint(const Problem& problem, const std::string& constraint,
                       const ConstraintScope& scope, const Place& line, Diagnostics& diagnostics);

// ---- FlashInfer-Bench's helpers on shapes; nullopt is a Python scalar ----

using Shape = std::vector<std::int64_t>;
using MaybeShape = std::optional<Shape>;

// The first input and its dimension that give each var axis its length.
struct AxisBinding {
  std::string input;
  int dimension = 0;
};
OrderedMap<AxisBinding> var_axis_bindings(const Definition& definition);

// Lengths of the var axes from the inputs' shapes; `error` says why there are none. Dimensions of
// const axes are not compared, as FlashInfer-Bench does not compare them.
struct AxisValues {
  OrderedMap<std::int64_t> axes;
  std::string error;
};
AxisValues axis_values(const Definition& definition, std::span<const MaybeShape> input_shapes);

// The shapes of `tensors` for these var axes; `error` names an axis without a value.
struct Shapes {
  std::vector<MaybeShape> shapes;
  std::string error;
};
Shapes shapes_of(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                 const OrderedMap<std::int64_t>& axes);

// A call's arguments in the Definition's order, inputs then outputs, from positional and named
// ones. Ends at the first that is not given; unknown names are dropped.
struct Arguments {
  std::vector<std::string> values;
  std::string error;
};
Arguments merge_arguments(const Definition& definition, std::span<const std::string> positional,
                          const OrderedMap<std::string>& named);

}  // namespace kbench
