// The launch of a solution beside its Definition.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

// What is wrong with a launch whatever the workload: names that the Definition does not have, and
// what no length can be made of. What needs no Definition is the schema's to say.
struct LaunchProblem {
  std::string pointer;    // below the launch: "/grid/0"
  std::size_t index = 0;  // byte of the expression
  std::string message;
  std::string hint;
};
std::vector<LaunchProblem> launch_problems(const Launch& launch, const Definition& definition);

}  // namespace kbench
