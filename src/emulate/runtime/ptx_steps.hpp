// What each operation of PTX does: the functions behind the rows of emulate/ptx/forms.cpp.
#pragma once

#include <kbench_emulation_floats.h>

#include <cstdint>

#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {

#define KB_STEP(name) void step_##name(PtxRun& run, const PtxInstruction& one)
KB_STEP(move);
KB_STEP(load);
KB_STEP(store);
KB_STEP(convert_address);
KB_STEP(is_space);
KB_STEP(arithmetic);
KB_STEP(multiply);
KB_STEP(multiply_add);
KB_STEP(fused);
KB_STEP(divide);
KB_STEP(copy_sign);
KB_STEP(compare);
KB_STEP(select);
KB_STEP(logic);
KB_STEP(shift);
KB_STEP(funnel);
KB_STEP(lop3);
KB_STEP(permute);
KB_STEP(bit_field);
KB_STEP(count_bits);
KB_STEP(function);
KB_STEP(convert);
KB_STEP(convert_pair);
KB_STEP(atomic);
KB_STEP(reduce);
KB_STEP(shuffle);
KB_STEP(vote);
KB_STEP(match);
KB_STEP(redux);
KB_STEP(active_mask);
KB_STEP(elect);
KB_STEP(block_barrier);
KB_STEP(arrive);
KB_STEP(warp_barrier);
KB_STEP(fence);
KB_STEP(copy_async);
KB_STEP(copy_commit);
KB_STEP(copy_wait);
KB_STEP(load_matrix);
KB_STEP(store_matrix);
KB_STEP(mma);
KB_STEP(barrier_init);
KB_STEP(barrier_arrive);
KB_STEP(barrier_wait);
KB_STEP(barrier_of_copies);
KB_STEP(branch);
KB_STEP(sleep);
KB_STEP(trap);
#undef KB_STEP

// Numbers of PTX's types as doubles, and back.
double float_value(std::uint64_t bits, PtxType type);
// Rounded once, if x is exact or rounded to odd.
std::uint64_t float_bits(double x, PtxType type, Round round);
Round ptx_round(const PtxInstruction& one);
// Zero for a subnormal float where .ftz stands.
double flushed(double x, PtxType type, bool ftz);
std::string_view name_of_opcode(const PtxInstruction& one);  // without its modifiers

}  // namespace kbench_emulation
