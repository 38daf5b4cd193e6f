// Numbers that nobody can guess.
#pragma once

#include <cstdint>

namespace kbench {

// From the kernel. Throws std::runtime_error where it has none.
std::uint64_t fresh_secret();

}  // namespace kbench
