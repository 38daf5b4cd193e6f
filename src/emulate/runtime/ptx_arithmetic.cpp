// Arithmetic of PTX.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cfenv>
#include <cmath>

#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {
namespace {

using U64 = std::uint64_t;
using S64 = std::int64_t;
using U128 = unsigned __int128;

struct FloatMode {
  Round round = Round::nearest;
  bool ftz = false, sat = false, relu = false, is_strict = false;  // strict about NaN
};

FloatMode mode_of(const PtxInstruction& one) {
  FloatMode mode;
  mode.round = ptx_round(one);
  mode.ftz = has_ptx_word(one, "ftz");
  mode.sat = has_ptx_word(one, "sat");
  mode.relu = has_ptx_word(one, "relu");
  mode.is_strict = has_ptx_word(one, "NaN");
  return mode;
}

U64 finished(double x, PtxType type, const FloatMode& mode) {
  if (mode.sat) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  if (mode.relu && !(x != x)) x = x > 0 ? x : 0.0;
  const U64 bits = float_bits(x, type, mode.round);
  return mode.ftz ? float_bits(flushed(float_value(bits, type), type, true), type, Round::nearest)
                  : bits;
}

// Calls work(lane's operands) for each of the lanes of a packed type.
template <typename Work>
void each_lane(PtxRun& run, const PtxInstruction& one, PtxType type, Work work) {
  U64 result = 0;
  const PtxType lane{type.kind, type.bits, 1};
  for (unsigned i = 0; i < type.lanes; ++i) {
    const auto operand = [&](std::size_t k) {
      return run.get(one, k, type) >> i * type.bits & lane.mask();
    };
    result |= (work(operand, lane) & lane.mask()) << i * type.bits;
  }
  run.set(one, 0, result, type);
}

int rounding_of(Round round) {
  switch (round) {
    case Round::zero:
      return FE_TOWARDZERO;
    case Round::down:
      return FE_DOWNWARD;
    case Round::up:
      return FE_UPWARD;
    case Round::nearest:
      break;
  }
  return FE_TONEAREST;
}

// Computes double's operations by the processor, rounded as asked for.
template <typename Work>
double rounded_as(Round round, Work work) {
  std::fesetround(rounding_of(round));
  const volatile double result = work();
  std::fesetround(FE_TONEAREST);
  return result;
}

double float_operation(std::string_view name, double a, double b, const FloatMode& mode,
                       PtxType type) {
  if (name == "min") return smaller(a, b, mode.is_strict);
  if (name == "max") return larger(a, b, mode.is_strict);
  if (name == "abs") return std::fabs(a);
  if (name == "neg") return -a;
  if (type.bits == 64) {
    const volatile double x = a, y = b;
    return rounded_as(mode.round, [&] {
      return name == "add" ? x + y : name == "sub" ? x - y : x * y;
    });
  }
  return name == "add"   ? fma_towards(1, a, b, mode.round)
         : name == "sub" ? fma_towards(-1, b, a, mode.round)
                         : a * b;
}

bool is_first_less(U64 a, U64 b, PtxType type) {
  return type.is_signed() ? static_cast<S64>(a) < static_cast<S64>(b) : a < b;
}

U64 integer_operation(std::string_view name, U64 a, U64 b, PtxType type, bool sat) {
  if (name == "min") return is_first_less(a, b, type) ? a : b;
  if (name == "max") return is_first_less(a, b, type) ? b : a;
  if (name == "abs") return static_cast<S64>(a) < 0 ? -a : a;
  if (name == "neg") return -a;
  const U64 result = name == "add" ? a + b : a - b;
  if (!sat) return result;  // saturates 32 bits, signed
  return static_cast<U64>(std::clamp<S64>(static_cast<S64>(result), INT32_MIN, INT32_MAX));
}

bool is_unary(std::string_view name) { return name == "abs" || name == "neg"; }

U64 high_product(U64 a, U64 b, PtxType type) {
  if (type.is_signed()) {
    const __int128 product = static_cast<__int128>(static_cast<S64>(a)) * static_cast<S64>(b);
    return static_cast<U64>(product >> type.bits);
  }
  return static_cast<U64>(static_cast<U128>(a) * b >> type.bits);
}

PtxType wider(PtxType type) { return {type.kind, 2 * type.bits, 1}; }

U64 product_of(PtxRun& run, const PtxInstruction& one, PtxType type) {
  const bool has_24 = name_of_opcode(one).ends_with("24");
  const PtxType in = has_24 ? PtxType{type.kind, 24, 1} : type;
  const U64 a = run.get(one, 1, in), b = run.get(one, 2, in);
  const std::string_view part = ptx_word(one, 0);
  if (part == "hi" && has_24) return high_product(a, b, {type.kind, 16, 1});
  return part == "hi" ? high_product(a, b, type) : a * b;
}

}  // namespace

void step_arithmetic(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const std::string_view name = name_of_opcode(one);
  const FloatMode mode = mode_of(one);
  each_lane(run, one, type, [&](const auto& operand, PtxType lane) -> U64 {
    const U64 a = operand(1), b = is_unary(name) ? 0 : operand(2);
    if (!lane.is_float())
      return integer_operation(name, run.get(one, 1, type),
                               is_unary(name) ? 0 : run.get(one, 2, type), type, mode.sat);
    if (is_unary(name) && !mode.ftz) {
      const U64 sign = U64{1} << (lane.bits - 1);
      return name == "abs" ? a & ~sign : a ^ sign;
    }
    return finished(float_operation(name, flushed(float_value(a, lane), lane, mode.ftz),
                                    flushed(float_value(b, lane), lane, mode.ftz), mode, lane),
                    lane, mode);
  });
}

void step_multiply(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  run.set(one, 0, product_of(run, one, type), ptx_word(one, 0) == "wide" ? wider(type) : type);
}

void step_multiply_add(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const PtxType out = ptx_word(one, 0) == "wide" ? wider(type) : type;
  run.set(one, 0, product_of(run, one, type) + run.get(one, 3, out), out);
}

void step_fused(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const FloatMode mode = mode_of(one);
  each_lane(run, one, type, [&](const auto& operand, PtxType lane) -> U64 {
    const auto number = [&](std::size_t k) {
      return flushed(float_value(operand(k), lane), lane, mode.ftz);
    };
    const double a = number(1), b = number(2), c = number(3);
    if (lane.bits == 64) {
      const volatile double x = a, y = b, z = c;
      return finished(rounded_as(mode.round, [&] { return std::fma(x, y, z); }), lane, mode);
    }
    return finished(fma_towards(a, b, c, mode.round), lane, mode);
  });
}

void step_divide(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const bool is_rest = name_of_opcode(one) == "rem";
  if (type.is_float()) {
    const FloatMode mode = mode_of(one);
    const double a = flushed(float_value(run.get(one, 1, type), type), type, mode.ftz);
    const double b = flushed(float_value(run.get(one, 2, type), type), type, mode.ftz);
    const double quotient = type.bits == 32 ? static_cast<float>(a) / static_cast<float>(b) : a / b;
    return run.set(one, 0, finished(quotient, type, mode), type);
  }
  const U64 a = run.get(one, 1, type), b = run.get(one, 2, type);
  if (b == 0) return run.set(one, 0, ~U64{0}, type);  // the ISA leaves it open
  if (!type.is_signed()) return run.set(one, 0, is_rest ? a % b : a / b, type);
  const __int128 x = static_cast<S64>(a), y = static_cast<S64>(b);
  run.set(one, 0, static_cast<U64>(is_rest ? x % y : x / y), type);
}

void step_copy_sign(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const U64 sign = U64{1} << (type.bits - 1);
  run.set(one, 0, (run.get(one, 1, type) & sign) | (run.get(one, 2, type) & ~sign), type);
}

namespace {

double function_value(std::string_view name, double x, PtxType type) {
  const auto narrow = static_cast<float>(x);
  if (name == "ex2") return type.bits == 32 ? exp2f(narrow) : std::exp2(x);
  if (name == "lg2") return log2f(narrow);
  if (name == "rcp") return type.bits == 32 ? 1 / narrow : 1 / x;
  if (name == "rsqrt") return 1 / std::sqrt(x);
  if (name == "sqrt") return type.bits == 32 ? sqrtf(narrow) : std::sqrt(x);
  if (name == "sin") return sinf(narrow);
  if (name == "cos") return cosf(narrow);
  return type.bits == 32 ? tanhf(narrow) : std::tanh(x);
}

}  // namespace

void step_function(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  const std::string_view name = name_of_opcode(one);
  const FloatMode mode = mode_of(one);
  each_lane(run, one, type, [&](const auto& operand, PtxType lane) -> U64 {
    const double x = flushed(float_value(operand(1), lane), lane, mode.ftz);
    return finished(function_value(name, x, lane), lane, mode);
  });
}

// Comparisons of PTX, and choices by them.

namespace {

// Unsigned integers have words of their own: lo, ls, hi, hs.
bool holds(std::string_view how, bool less, bool equal) {
  if (how == "eq") return equal;
  if (how == "ne") return !equal;
  if (how == "lt" || how == "lo") return less;
  if (how == "le" || how == "ls") return less || equal;
  return how == "gt" || how == "hi" ? !less && !equal : !less;
}

// Tells whether it holds; `unordered`: one is NaN, for which equ, ltu and so on hold.
bool comparison(std::string_view how, bool less, bool equal, bool unordered) {
  if (how == "num") return !unordered;
  if (how == "nan") return unordered;
  return unordered ? how.size() == 3 : holds(how.substr(0, 2), less, equal);
}

bool compared(PtxRun& run, const PtxInstruction& one, PtxType type) {
  const std::string_view how = ptx_word(one, 0);
  const U64 a = run.get(one, 1, type), b = run.get(one, 2, type);
  if (type.is_float()) {
    const bool ftz = has_ptx_word(one, "ftz");
    const double x = flushed(float_value(a, type), type, ftz);
    const double y = flushed(float_value(b, type), type, ftz);
    return comparison(how, x < y, x == y, x != x || y != y);
  }
  const bool less = type.is_signed() ? static_cast<S64>(a) < static_cast<S64>(b) : a < b;
  return comparison(how, less, a == b, false);
}

}  // namespace

void step_compare(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one), predicate{'p', 1, 1};
  const bool holds = compared(run, one, type);
  if (name_of_opcode(one) == "set") {
    const PtxType out = ptx_type(ptx_word(one, -2));
    const U64 yes = out.is_float() ? 0x3f800000 : 0xffffffff;
    return run.set(one, 0, holds ? yes : 0, out);
  }
  const std::string_view join = ptx_word(one, 1);
  const auto joined = [&](bool value) {
    if (join.empty()) return value;
    const bool c = run.get_predicate(one.operands[3]);
    return join == "and" ? value && c : join == "or" ? value || c : value != c;
  };
  const PtxOperand& to = one.operands[0];
  if (to.kind != PtxOperand::Kind::pair) return run.set(to, joined(holds), predicate);
  run.set(to.elements[0], joined(holds), predicate);
  run.set(to.elements[1], joined(!holds), predicate);
}

void step_select(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one);
  if (one.operands.size() != 4) not_emulated("PTX selp without four operands", run.place());
  run.set(one, 0, run.get(one, run.get_predicate(one.operands[3]) ? 1 : 2, type), type);
}

}  // namespace kbench_emulation
