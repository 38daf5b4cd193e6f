// What collectives that move matrices need of the warp.
#pragma once

#include <kbench_emulation.h>

namespace kbench_emulation {

struct Piece {
  const void* begin;
  std::size_t bytes, alignment;
};
// An access by a lane of the warp that runs, within a collective.
void check_for_lane(unsigned lane, const Piece& piece, Access access, Place place);
// The lanes of the warp that have not ended.
std::uint32_t present_lanes();

}  // namespace kbench_emulation
