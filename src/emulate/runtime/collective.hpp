// Interface of the warp for collectives that move matrices.
#pragma once

#include "emulate/runtime/ptx_run.hpp"
#include "emulate/runtime/region.hpp"

namespace kbench_emulation {

struct Piece {
  const void* begin;
  std::size_t bytes, alignment;
};
// Checks an access by a lane of the warp that runs, within a collective.
void check_for_lane(unsigned lane, const Piece& piece, Access access, Place place);
// Returns number `i` of registers, or of a fragment, which has them one after the other.
double number_at(const void* numbers, unsigned i, PtxType type) KBENCH_EMULATION_LOCAL(number_at);
void set_number(void* numbers, unsigned i, PtxType type, double x)
    KBENCH_EMULATION_LOCAL(set_number);
// Returns the lanes of the warp that have not ended.
std::uint32_t present_lanes();

}  // namespace kbench_emulation
