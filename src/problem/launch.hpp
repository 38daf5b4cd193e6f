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

// What is wrong with a launch whatever the workload: names that the Definition does not have, and
// what no length can be made of, or none that a device takes. What needs no Definition is the
// schema's to say.
struct LaunchProblem {
  std::string pointer;    // below the launch: "/grid/0"
  std::size_t index = 0;  // byte of the expression
  std::string message;
  std::string hint;
};
// `parameters` are the names that a configuration gives values to.
std::vector<LaunchProblem> launch_problems(const Launch& launch, const Definition& definition,
                                           const std::vector<std::string>& parameters = {});

// Its sizes and parameters for a workload; or why it cannot be launched there: "block[0] is 2 * d:
// expected 1 to 1024, found 2048".
std::variant<worker::KernelLaunch, std::string> bind_launch(const Launch& launch,
                                                            const Problem& problem,
                                                            const ChosenConfiguration& chosen = {});

}  // namespace kbench
