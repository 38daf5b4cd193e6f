// Instruction cvt of PTX, in all its types.
#include <cuda_fp8.h>

#include <cmath>

#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {
namespace {

using U64 = std::uint64_t;
using S64 = std::int64_t;

double to_integral(double x, Round round) {
  switch (round) {
    case Round::zero:
      return std::trunc(x);
    case Round::down:
      return std::floor(x);
    case Round::up:
      return std::ceil(x);
    case Round::nearest:
      break;
  }
  return std::nearbyint(x);
}

// Rounds out-of-range numbers to the nearest in range; NaN is 0, or the least of 64 bits.
U64 integer_bits(double x, PtxType type) {
  if (x != x) return type.bits == 64 ? U64{1} << 63 : 0;
  const double least = type.is_signed() ? -std::ldexp(1.0, static_cast<int>(type.bits) - 1) : 0;
  const double beyond = std::ldexp(1.0, static_cast<int>(type.bits) - (type.is_signed() ? 1 : 0));
  const U64 most = type.is_signed() ? type.mask() >> 1 : type.mask();
  if (x >= beyond) return most;
  if (x < least) return type.is_signed() ? most + 1 : 0;
  return type.is_signed() ? static_cast<U64>(static_cast<S64>(x)) : static_cast<U64>(x);
}

// Returns an integer of 64 bits as a double, rounded to odd.
double to_odd(U64 bits, bool is_signed) {
  const bool is_negative = is_signed && static_cast<S64>(bits) < 0;
  U64 magnitude = is_negative ? -bits : bits;
  const int extra = magnitude >> 53 == 0 ? 0 : 11;
  const bool is_inexact = (magnitude & ((U64{1} << extra) - 1)) != 0;
  magnitude = (magnitude >> extra << extra) | (is_inexact ? U64{1} << extra : 0);
  const double value = static_cast<double>(magnitude);
  return is_negative ? -value : value;
}

U64 saturated_integer(U64 bits, PtxType from, PtxType to) {
  const bool is_negative = from.is_signed() && static_cast<S64>(bits) < 0;
  const U64 most = to.is_signed() ? to.mask() >> 1 : to.mask();
  if (!is_negative) return bits > most ? most : bits;
  if (!to.is_signed()) return 0;
  const S64 least = -static_cast<S64>(most) - 1;
  return static_cast<S64>(bits) < least ? static_cast<U64>(least) : bits;
}

}  // namespace

double float_value(U64 bits, PtxType type) {
  if (type.bits == 8)
    return fp8_value(static_cast<unsigned char>(bits), type.kind == '4' ? __NV_E4M3 : __NV_E5M2);
  if (type.kind == 'B') return BFloat16::value(static_cast<std::uint16_t>(bits));
  if (type.bits == 16) return Half::value(static_cast<std::uint16_t>(bits));
  if (type.bits == 32) return cast_bits<float>(static_cast<std::uint32_t>(bits));
  return cast_bits<double>(bits);
}

U64 float_bits(double x, PtxType type, Round round) {
  if (type.kind == 'B') return BFloat16::from(x, round);
  if (type.bits == 16) return Half::from(x, round);
  if (type.bits == 64) return cast_bits<U64>(x);
  return x != x ? 0x7fffffff : cast_bits<std::uint32_t>(to_float(x, round));
}

Round ptx_round(const PtxInstruction& one) {
  for (const std::string& word : one.words) {
    if (word == "rz" || word == "rzi") return Round::zero;
    if (word == "rm" || word == "rmi") return Round::down;
    if (word == "rp" || word == "rpi") return Round::up;
  }
  return Round::nearest;
}

double flushed(double x, PtxType type, bool ftz) {
  return ftz && type.bits == 32 && std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x;
}

std::string_view name_of_opcode(const PtxInstruction& one) {
  return std::string_view(one.opcode).substr(0, one.opcode.find('.'));
}

namespace {

// tf32 keeps ten bits of the mantissa.
U64 tf32_bits(U64 bits, const PtxInstruction& one) {
  const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
  if (is_finite && has_ptx_word(one, "rna")) bits += 0x1000;
  if (is_finite && has_ptx_word(one, "rn")) bits += 0xfff + (bits >> 13 & 1);
  return bits & 0xffffe000;
}

bool rounds_to_integral(const PtxInstruction& one) {
  for (const char* const word : {"rni", "rzi", "rmi", "rpi"})
    if (has_ptx_word(one, word)) return true;
  return false;
}

// Applies the modifiers of a cvt to a floating-point type.
U64 converted_number(double x, PtxType to, const PtxInstruction& one) {
  if (rounds_to_integral(one)) x = to_integral(x, ptx_round(one));
  if (has_ptx_word(one, "sat")) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  if (has_ptx_word(one, "relu") && x == x) x = x > 0 ? x : 0.0;
  const U64 result = float_bits(x, to, ptx_round(one));
  if (!has_ptx_word(one, "ftz")) return result;
  return float_bits(flushed(float_value(result, to), to, true), to, Round::nearest);
}

}  // namespace

void step_convert(PtxRun& run, const PtxInstruction& one) {
  const PtxType to = ptx_type(ptx_word(one, -2)), from = last_type(one);
  const U64 bits = run.get(one, 1, from);
  if (to.kind == 'T') return run.set(one, 0, tf32_bits(bits, one), {'b', 32, 1});
  if (!from.is_float() && !to.is_float())
    return run.set(one, 0, has_ptx_word(one, "sat") ? saturated_integer(bits, from, to) : bits, to);
  double x = from.is_float() ? float_value(bits, from) : to_odd(bits, from.is_signed());
  x = flushed(x, from, has_ptx_word(one, "ftz"));
  run.set(one, 0,
          to.is_float() ? converted_number(x, to, one)
                        : integer_bits(to_integral(x, ptx_round(one)), to),
          to);
}

void step_convert_pair(PtxRun& run, const PtxInstruction& one) {
  const PtxType to = ptx_type(ptx_word(one, -2)), from = last_type(one);
  const bool is_one_source = from.lanes == 2;  // f16x2 or two of eight bits in one register
  double values[2];
  for (unsigned i = 0; i < 2; ++i) {
    if (!is_one_source) {  // the first source is the upper half
      values[i] = run.get_float(one, 2 - i);
    } else {
      const PtxType lane{from.kind, from.bits, 1};
      const U64 bits = run.get(one, 1, from) >> i * from.bits & lane.mask();
      values[i] = float_value(bits, lane);
    }
    if (has_ptx_word(one, "relu") && !(values[i] > 0) && values[i] == values[i]) values[i] = 0;
  }
  U64 result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const U64 bits =
        to.bits == 8 ? fp8_bits(values[i], __NV_SATFINITE, to.kind == '4' ? __NV_E4M3 : __NV_E5M2)
                     : float_bits(values[i], {to.kind, to.bits, 1}, ptx_round(one));
    result |= bits << i * to.bits;
  }
  run.set(one, 0, result, to);
}

}  // namespace kbench_emulation
