// Translation of a solution in CUDA to one in C++ for the host's compiler: docs/emulation.md.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Returns flags for the translated sources, without folders: accesses to memory are calls of the
// runtime library, and the solution's own flags count if a compiler of C++ knows them.
std::vector<std::string> emulation_flags(const BuildSpec& spec);

// Rewrites its sources and flags, and adds a file beside each .cu that includes it and is compiled.
// Unknown language is reported with its place in the solution's own sources.
Solution emulated_solution(const Solution& solution, Diagnostics& diagnostics);

}  // namespace kbench
