// Bit operations of PTX.
#include <algorithm>
#include <bit>

#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {
namespace {

using U64 = std::uint64_t;
using S64 = std::int64_t;

}  // namespace

void step_logic(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const std::string_view name = name_of_opcode(one);
  const auto operand = [&](std::size_t i) {
    const U64 bits = run.get(one, i, type);
    return one.operands[i].is_negated ? bits ^ 1 : bits;
  };
  const U64 a = operand(1);
  if (name == "not") return run.set(one, 0, ~a, type);
  if (name == "cnot") return run.set(one, 0, a == 0, type);
  const U64 b = operand(2);
  run.set(one, 0, name == "and" ? a & b : name == "or" ? a | b : a ^ b, type);
}

void step_shift(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const U64 a = run.get(one, 1, type), by = run.get(one, 2, {'u', 32, 1});
  const bool is_out = by >= type.bits;
  if (name_of_opcode(one) == "shl") return run.set(one, 0, is_out ? 0 : a << by, type);
  if (!type.is_signed()) return run.set(one, 0, is_out ? 0 : a >> by, type);
  run.set(one, 0, static_cast<U64>(static_cast<S64>(a) >> (is_out ? 63 : by)), type);
}

void step_funnel(PtxRun& run, const PtxInstruction& one) {
  const PtxType type{'b', 32, 1};
  const U64 low = run.get(one, 1, type), high = run.get(one, 2, type);
  U64 by = run.get(one, 3, type);
  by = ptx_word(one, 1) == "clamp" ? (by < 32 ? by : 32) : by & 31;
  const U64 both = high << 32 | low;
  run.set(one, 0, ptx_word(one, 0) == "l" ? both << by >> 32 : both >> by, type);
}

void step_lop3(PtxRun& run, const PtxInstruction& one) {
  const PtxType type{'b', 32, 1};
  const U64 a = run.get(one, 1, type), b = run.get(one, 2, type), c = run.get(one, 3, type);
  const U64 table = run.get(one, 4, type);
  U64 result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const U64 row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> row & 1) << i;
  }
  run.set(one, 0, result, type);
}

namespace {

// Returns the source byte of byte `i` of the result, by the modes of prmt.
unsigned chosen_byte(std::string_view mode, unsigned selector, unsigned i) {
  const unsigned s = selector & 3;
  if (mode == "f4e") return s + i;
  if (mode == "b4e") return (s + 8 - i) & 7;
  if (mode == "rc8") return s;
  if (mode == "ecl") return i > s ? i : s;
  if (mode == "ecr") return i < s ? i : s;
  return (s & 1) * 2 + (i & 1);  // rc16
}

}  // namespace

void step_permute(PtxRun& run, const PtxInstruction& one) {
  const PtxType type{'b', 32, 1};
  const U64 both = run.get(one, 2, type) << 32 | run.get(one, 1, type);
  const auto selector = static_cast<unsigned>(run.get(one, 3, type));
  const std::string_view mode = ptx_word(one, -1);
  U64 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned control = selector >> 4 * i & 15;
    const unsigned which = mode.empty() ? control & 7 : chosen_byte(mode, selector, i);
    U64 byte = both >> which * 8 & 255;
    if (mode.empty() && (control & 8) != 0) byte = byte >> 7 != 0 ? 255 : 0;  // byte of its sign
    result |= byte << 8 * i;
  }
  run.set(one, 0, result, type);
}

namespace {

U64 ones(U64 count) { return count >= 64 ? ~U64{0} : (U64{1} << count) - 1; }

// Returns the field of a, with its sign in all bits above.
U64 extracted(U64 a, U64 at, U64 length, PtxType type) {
  const U64 result = at >= 64 ? 0 : a >> at & ones(length);
  if (!type.is_signed() || length == 0) return result;
  const U64 last = at + length - 1;
  const bool sign = a >> (last < type.bits ? last : type.bits - 1) & 1;
  const U64 valid = at >= type.bits ? 0 : std::min<U64>(length, type.bits - at);
  return sign ? result | ~ones(valid) : result;
}

}  // namespace

void step_bit_field(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const bool is_insert = name_of_opcode(one) == "bfi";
  const std::size_t first = is_insert ? 3 : 2;
  const PtxType word{'u', 32, 1};
  const U64 at = run.get(one, first, word) & 255, length = run.get(one, first + 1, word) & 255;
  const U64 a = run.get(one, 1, {'b', type.bits, 1});
  if (!is_insert) return run.set(one, 0, extracted(a, at, length, type), type);
  const U64 field = at >= 64 ? 0 : ones(length) << at;
  const U64 shifted = at >= 64 ? 0 : a << at;
  run.set(one, 0, (run.get(one, 2, type) & ~field) | (shifted & field), type);
}

void step_count_bits(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one), word{'u', 32, 1};
  const std::string_view name = name_of_opcode(one);
  const U64 a = run.get(one, 1, {'b', type.bits, 1});
  const auto zeros = static_cast<U64>(std::countl_zero(a)) - (64 - type.bits);
  if (name == "popc") return run.set(one, 0, static_cast<U64>(std::popcount(a)), word);
  if (name == "clz") return run.set(one, 0, zeros, word);
  if (name == "brev") {
    U64 reversed = 0;
    for (unsigned i = 0; i < type.bits; ++i) reversed |= (a >> i & 1) << (type.bits - 1 - i);
    return run.set(one, 0, reversed, type);
  }
  const bool is_negative = type.is_signed() && a >> (type.bits - 1) != 0;
  const U64 looked_at = is_negative ? ~a & type.mask() : a;
  if (looked_at == 0) return run.set(one, 0, 0xffffffff, word);
  const U64 highest = 63 - static_cast<U64>(std::countl_zero(looked_at));
  run.set(one, 0, has_ptx_word(one, "shiftamt") ? type.bits - 1 - highest : highest, word);
}

}  // namespace kbench_emulation
