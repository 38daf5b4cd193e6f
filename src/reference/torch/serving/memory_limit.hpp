// What a process has, as the kernel counts it against its limits.
#pragma once

#include <cstdint>

namespace kbench {

// Heap and private writable mappings, bytes: RLIMIT_DATA counts them.
std::uint64_t data_bytes();

// Limits by how many bytes this, shared mappings, files in memory and what is only reserved may
// grow from now on. 0: no limit.
void limit_memory(std::uint64_t bytes);

}  // namespace kbench
