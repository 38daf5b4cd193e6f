// Numbers of PTX's types as doubles, and back.
#pragma once

#include <kbench_emulation_floats.h>

#include <cstdint>

#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {

double float_value(std::uint64_t bits, PtxType type);
// Rounded once, if x is exact or rounded to odd.
std::uint64_t float_bits(double x, PtxType type, Round round);
Round ptx_round(const PtxInstruction& one);
// Zero for a subnormal float where .ftz stands.
double flushed(double x, PtxType type, bool ftz);
std::string_view name_of_opcode(const PtxInstruction& one);  // without its modifiers

}  // namespace kbench_emulation
