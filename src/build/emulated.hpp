// Solutions in CUDA built for the processor, where the toolchain emulates: docs/emulation.md.
#pragma once

#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// The headers and the library that this installation has.
EmulationKit emulation_kit();

std::string emulated_unavailable(const Toolchain& toolchain);
// BuildResult::not_emulated says why it cannot be judged so: that is no failure of the solution.
BuildResult build_emulated(const Solution& solution, const Toolchain& toolchain);
std::vector<std::string> emulated_flags(const Solution& solution, const Toolchain& toolchain);

}  // namespace kbench
