// What `kbench build --output` leaves for programs that load solutions themselves.
#pragma once

#include <filesystem>
#include <string>

#include "build/builder.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Returns the macros that a solution is built with, such as "BLOCK=128"; "" for none.
std::string macros_of(const Solution& solution);

struct PlacedBuild {
  std::filesystem::path library;  // a shared library, a kernel's code, or a module of Python
  std::string function;           // the name that it has there
};

// Puts what was built of a solution into a folder of its name below `folder`: a library, or all of
// its sources in Python. What is loaded by another process meanwhile stays whole. Throws
// std::system_error where it cannot be written.
PlacedBuild place_build(const Solution& solution, const BuildResult& result,
                        const std::filesystem::path& folder);

}  // namespace kbench
