// The memory of a process that answers: the limits on it, and what large tensors leave for the next
// ones.
#pragma once

#include <cstdint>

namespace kbench {

// Heap and private writable mappings, bytes: RLIMIT_DATA counts them.
std::uint64_t data_bytes();

// Limits by how many bytes this, shared mappings, files in memory and what is only reserved may
// grow from now on. 0: no limit.
void limit_memory(std::uint64_t bytes);

// From now on LibTorch's CPU tensors of at least a MiB lie in huge pages where the kernel has them,
// and what is freed serves the next tensor of its size: calling a reference again and again, a
// third of the time went to pages that the kernel cleared. Kept and used memory are together at
// most twice what was ever used at once. For the rest of the process.
void keep_tensor_memory();

}  // namespace kbench
