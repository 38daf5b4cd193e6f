#pragma once

#include <string>

namespace kbench {

// Returns a variable of the environment; "" where it is not set.
std::string variable(const char* name);

}  // namespace kbench
