// PTX's comparisons, and what chooses by them.
#include "emulate/runtime/ptx_numbers.hpp"
#include "emulate/runtime/ptx_steps.hpp"

namespace kbench_emulation {
namespace {

using U64 = std::uint64_t;
using S64 = std::int64_t;

// Integers of no sign have words of their own: lo, ls, hi, hs.
bool holds(std::string_view how, bool less, bool equal) {
  if (how == "eq") return equal;
  if (how == "ne") return !equal;
  if (how == "lt" || how == "lo") return less;
  if (how == "le" || how == "ls") return less || equal;
  return how == "gt" || how == "hi" ? !less && !equal : !less;
}

// Comparisons; `unordered` where one is NaN, for which equ, ltu and so on hold.
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
