// A solution in CUDA → one in C++ that the host's compiler builds: docs/emulation.md.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/solution.hpp"

namespace kbench {

// How the translated sources are compiled, without folders: accesses to memory are calls of the
// runtime library, and of the solution's own flags those count that a compiler of C++ knows.
std::vector<std::string> emulation_flags(const BuildSpec& spec);

// Its sources rewritten, a file beside each .cu that includes it and is compiled, and the flags.
// What is not understood is reported with its place in the solution's own sources.
Solution emulated_solution(const Solution& solution, Diagnostics& diagnostics);

}  // namespace kbench
