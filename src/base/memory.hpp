// This machine's memory.
#pragma once

#include <cstdint>

namespace kbench {

// Bytes that the kernel can still give (MemAvailable); the largest number where it does not say.
std::uint64_t available_memory();

// Bytes that the machine has; the largest number where it does not say.
std::uint64_t total_memory();

}  // namespace kbench
