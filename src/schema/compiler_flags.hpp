// Which flags a C++ solution may give the compiler: those that say how its own sources become code.
// Not those that name files elsewhere, run programs or write beside the library.
#pragma once

#include "schema/check.hpp"

namespace kbench {

// What is wrong with `compile_flags` and `link_flags`, each at its place below the spec.
Findings check_flags(const BuildSpec& spec);

}  // namespace kbench
