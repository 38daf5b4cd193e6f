// The options by which kernel libraries are named.
#pragma once

#include "contract/kernel_set.hpp"

namespace kbench {

class CommandLine;

void declare_libraries(CommandLine line, KernelOptions& options);

}  // namespace kbench
