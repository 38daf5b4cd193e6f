// What ExecuTorch's documentation asks of kernel yaml and its tools do not.
#pragma once

#include "base/diagnostic.hpp"
#include "registry/read_kernel_yaml.hpp"

namespace kbench {

// Kernels' names in lower case, operators that write to an argument, which is called `out`, and
// overloads that end so. What leaves a convention is said once, at the first place, with how many
// there are: ExecuTorch's own files leave that of the names 21 times in 209 operators.
void check_conventions(const KernelLibrary& library, Level level, Diagnostics& diagnostics);

}  // namespace kbench
