// The tensors in the worker's address space.
#pragma once

#include <cstddef>
#include <vector>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// Where one tensor lies, and the pages around it.
struct MappedTensor {
  std::byte* data = nullptr;
};

// All of `fd`, shared; nullptr when that is impossible.
void* map_whole(int fd, std::size_t bytes, bool writable);

// Maps the pages of one tensor of `fd` between two inaccessible guards, so that a step beyond it is
// a fault and not another tensor. Empty on failure.
MappedTensor map_tensor(int fd, const Argument& tensor, bool writable);

}  // namespace kbench::worker
