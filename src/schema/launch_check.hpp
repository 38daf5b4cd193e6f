// What can be wrong with a launch whatever the Definition is (problem/kernel_launch.hpp has the
// rest).
#pragma once

#include "schema/check.hpp"

namespace kbench {

// What is wrong with `launch`, and with what stands beside it, each at its place below the spec.
Findings check_launch(const BuildSpec& spec);

}  // namespace kbench
