// The launch of a solution beside its Definition.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "problem/problem.hpp"
#include "problem/worker_protocol.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Fault of a launch whatever the workload: a name that the Definition does not have, or a size that
// is no length, or none that a device takes. The schema judges what needs no Definition.
struct LaunchProblem {
  std::string pointer;    // JSON pointer below the launch: "/grid/0"
  std::size_t index = 0;  // byte of the expression
  std::string message;
  std::string hint;
};
// `parameters` are the names that a configuration gives values to.
std::vector<LaunchProblem> launch_problems(const Launch& launch, const Definition& definition,
                                           const std::vector<std::string>& parameters = {});

// Returns the sizes and parameters for a workload, or the reason that it cannot be launched there:
// "block[0] is 2 * d: expected 1 to 1024, found 2048".
std::variant<worker::KernelLaunch, std::string> bind_launch(const Launch& launch,
                                                            const Problem& problem,
                                                            const ChosenConfiguration& chosen = {});

}  // namespace kbench
