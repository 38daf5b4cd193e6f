// Memory of a process that answers: the limits on it, and the reuse of that of large tensors.
#pragma once

#include <cstdint>

namespace kbench {

// Returns heap and private writable mappings, bytes: RLIMIT_DATA counts them.
std::uint64_t data_bytes();

// Limits by how many bytes these, shared mappings, files in memory and reserved memory may grow
// from now on. 0: no limit.
void limit_memory(std::uint64_t bytes);

// Puts LibTorch's CPU tensors of at least a MiB into huge pages where the kernel has them, and
// reuses freed memory for the next tensor of its size: calling a reference again and again, a third
// of the time went to pages that the kernel cleared. Kept and used memory are together at most
// twice the largest use. This lasts for the rest of the process.
void keep_tensor_memory();

}  // namespace kbench
