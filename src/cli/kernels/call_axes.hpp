// The sizes of axes that a command line gives for a call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"

namespace kbench {

// "M=8,N=16" of --axes. What is none is reported.
void read_axes(const std::vector<std::string>& words, std::map<std::string, std::int64_t>& axes,
               Diagnostics& out);

// Reports lengths below 0; scalars may be.
void check_lengths(const std::map<std::string, std::int64_t>& axes, Diagnostics& out);
// Reports names that are neither axes nor scalar inputs of the Definition, and sizes that are not
// its own.
void check_axes(const std::map<std::string, std::int64_t>& axes, const Definition& definition,
                Diagnostics& out);

}  // namespace kbench
