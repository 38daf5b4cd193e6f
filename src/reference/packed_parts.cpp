#include "reference/packed_parts.hpp"

#include <cstring>
#include <utility>

namespace kbench {

PackedParts pack_parts(const char* name, std::span<const std::span<const std::byte>> parts) {
  constexpr std::size_t page = 4096;
  std::vector<std::size_t> offsets;
  std::size_t total = 0;
  for (const auto& part : parts) {
    offsets.push_back(total);
    total += (part.size() + page - 1) / page * page;
  }
  SharedMemory memory(name, total);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty())
      std::memcpy(memory.data() + offsets[i], parts[i].data(), parts[i].size());
  memory.seal_for_others();
  return {std::move(memory), std::move(offsets)};
}

}  // namespace kbench
