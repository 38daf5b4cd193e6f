#pragma once

#include <string>

namespace kbench {

// Of the environment; "" where it is not set.
std::string variable(const char* name);

}  // namespace kbench
