// What goes to kbench-torch beside a request, in one piece of memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"

namespace kbench {

struct PackedParts {
  SharedMemory memory;               // sealed
  std::vector<std::size_t> offsets;  // of each part, in bytes: where a page begins
};

PackedParts pack_parts(const char* name, std::span<const std::span<const std::byte>> parts);

}  // namespace kbench
