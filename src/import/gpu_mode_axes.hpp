// The shapes that the cases of one task have → a Definition's axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/gpu_mode_task.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct ShapedTask {
  Definition definition;                          // axes, inputs, outputs and constraints
  std::vector<OrderedMap<std::int64_t>> lengths;  // of the var axes, one a case
  std::string data;  // Python for the argument of ref_kernel(), in terms of the inputs
};

// Lengths that are equal in all cases are one axis: var where they differ from case to case, called
// as the argument of generate_input() that they are equal to. `arguments` has one a case.
// Nothing where the cases do not fit each other, or the shape of a buffer
// follows from no input: `why`.
std::optional<ShapedTask> shape_task(const std::vector<TaskCase>& cases,
                                     const std::vector<TaskArguments>& arguments, std::string& why);

}  // namespace kbench
