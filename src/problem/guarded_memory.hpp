// Memory that a candidate writes to: where a tensor lies among its pages, and what fills them
// before a call. The judge and kbench-worker both lay it out so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbench {

constexpr std::size_t page_bytes = 4096;  // of memory, as the processor parts it

// A tensor is flush with the end of its pages up to an alignment of 64 bytes, so that a step beyond
// it meets the inaccessible page that follows.
struct Placement {
  std::size_t size = 0;  // of the pages, bytes
  std::size_t data = 0;  // where the tensor begins in them
};
Placement place(std::size_t bytes, std::size_t page);

// `pattern` (elements repeated to 8 bytes) where the tensor lies, `margin` around it.
void poison(std::byte* pages, const Placement& place, std::size_t bytes, std::uint64_t pattern,
            std::byte margin);

// Whether what lies around the tensor still is `margin`.
bool is_margin_whole(const std::byte* pages, const Placement& place, std::size_t bytes,
                     std::byte margin);

}  // namespace kbench
