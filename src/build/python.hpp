// Candidates that run in Python: modules as they are, and extension modules with the torch binding.
#pragma once

#include "build/builder.hpp"

namespace kbench {

std::string python_unavailable(const Toolchain& toolchain);
// Writes the sources to the folder of this run. That they are no Python is found when they are
// imported.
BuildResult build_python(const Solution& solution, const Toolchain& toolchain);

}  // namespace kbench
