// Solutions in C++ → code that a program calls: a function for each Definition that chooses among
// its Solutions and their configurations as kbench does. docs/kernels.md
#pragma once

#include "base/diagnostic.hpp"
#include "kernels/codegen/codegen.hpp"

namespace kbench {

// Configurations that may be chosen are compiled: those that are stated, of candidates and of the
// heuristic, and of a small space all. Nothing of a Solution that cannot be called so: that is
// reported.
GeneratedCode generate_solutions(const CodegenInput& input, const CodegenOptions& options,
                                 Diagnostics& diagnostics);

}  // namespace kbench
