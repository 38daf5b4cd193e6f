// Loads, stores, atomic operations and asynchronous copies of PTX.
#include <cstring>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/ptx_run.hpp"

namespace kbench_emulation {
namespace {

using U64 = std::uint64_t;
constexpr PtxType count_type{'u', 32, 1};

// Tells whether the words name shared memory, whose addresses have 32 bits.
bool is_in_shared(const PtxInstruction& one) {
  return has_ptx_word(one, "shared") || has_ptx_word(one, "shared::cta");
}

unsigned elements_of(const PtxInstruction& one) {
  return has_ptx_word(one, "v4") ? 4 : has_ptx_word(one, "v2") ? 2 : 1;
}

bool is_atomic_order(const PtxInstruction& one) {
  for (const char* const word : {"volatile", "relaxed", "acquire", "release"})
    if (has_ptx_word(one, word)) return true;
  return false;
}

const PtxOperand& element(const PtxRun& run, const PtxOperand& operand, unsigned i,
                          unsigned count) {
  if (count == 1 && operand.kind != PtxOperand::Kind::vector) return operand;
  if (operand.elements.size() != count)
    not_emulated("PTX with a vector of another length", run.place());
  return operand.elements[i];
}

void need_operands(const PtxRun& run, const PtxInstruction& one, std::size_t count) {
  if (one.operands.size() < count)
    not_emulated(("PTX " + one.opcode + " with too few operands").c_str(), run.place());
}

// Called before and after an access that other blocks may see.
void check_order(const PtxInstruction& one, const void* at, const Touch& touch) {
  Now& n = *now;
  const bool is_write = touch.kind != Kind::atomic_read;
  if (is_write) give_way(n);
  check(n, touch, touch.bytes);
  const bool releases = has_ptx_word(one, "release") || has_ptx_word(one, "acq_rel");
  if (is_write) release(n, at, releases);
  acquire(*n.block, at);
}

void check_plain(const PtxRun& run, const PtxInstruction& one, const void* at, std::size_t bytes,
                 Access access) {
  const Kind kind = access == Access::write ? Kind::atomic_write : Kind::atomic_read;
  if (is_atomic_order(one))
    check_order(one, at, run.touch(at, bytes, kind));
  else
    check_access(at, bytes, bytes, access, run.place());
}

}  // namespace

void step_load(PtxRun& run, const PtxInstruction& one) {
  need_operands(run, one, 2);
  const PtxType type = last_type(one);
  const unsigned count = elements_of(one);
  const auto* const at = static_cast<const char*>(run.address(one.operands[1], is_in_shared(one)));
  const std::size_t size = type.bits / 8;
  check_plain(run, one, at, size * count, Access::read);
  for (unsigned i = 0; i < count; ++i) {
    U64 bits = 0;
    std::memcpy(&bits, at + i * size, size);
    run.set(element(run, one.operands[0], i, count), bits, type);
  }
  if (is_atomic_order(one)) note_futile(*now, run.touch(at, size * count, Kind::atomic_read));
}

void step_store(PtxRun& run, const PtxInstruction& one) {
  need_operands(run, one, 2);
  const PtxType type = last_type(one);
  const unsigned count = elements_of(one);
  auto* const at = static_cast<char*>(run.address(one.operands[0], is_in_shared(one)));
  const std::size_t size = type.bits / 8;
  check_plain(run, one, at, size * count, Access::write);
  for (unsigned i = 0; i < count; ++i) {
    const U64 bits = run.get(element(run, one.operands[1], i, count), type);
    std::memcpy(at + i * size, &bits, size);
  }
}

void step_convert_address(PtxRun& run, const PtxInstruction& one) {
  const PtxType type = last_type(one), wide{'u', 64, 1};
  if (ptx_word(one, 1).substr(0, 6) != "shared")
    return run.set(one, 0, run.get(one, 1, wide), type);
  if (ptx_word(one, 0) == "to") {
    const auto address = reinterpret_cast<const void*>(run.get(one, 1, wide));
    return run.set(one, 0, shared_window(address), type);
  }
  run.set(one, 0, reinterpret_cast<U64>(from_shared_window(run.get(one, 1, count_type))), wide);
}

void step_move(PtxRun& run, const PtxInstruction& one) {
  need_operands(run, one, 2);
  const PtxType type = last_type(one);
  const PtxOperand &to = one.operands[0], &from = one.operands[1];
  const auto parts = [&](const PtxOperand& vector) {
    return PtxType{'b', type.bits / static_cast<unsigned>(vector.elements.size()), 1};
  };
  if (from.kind == PtxOperand::Kind::vector) {
    const PtxType part = parts(from);
    U64 bits = 0;
    for (std::size_t i = 0; i < from.elements.size(); ++i)
      bits |= run.get(from.elements[i], part) << i * part.bits;
    return run.set(to, bits, type);
  }
  const U64 bits = run.get(from, type);
  if (to.kind != PtxOperand::Kind::vector) return run.set(to, bits, type);
  const PtxType part = parts(to);
  for (std::size_t i = 0; i < to.elements.size(); ++i)
    run.set(to.elements[i], bits >> i * part.bits & part.mask(), part);
}

void step_is_space(PtxRun& run, const PtxInstruction& one) {
  const auto address = reinterpret_cast<const void*>(run.get(one, 1, {'u', 64, 1}));
  const bool holds = is_in_shared(one)
                         ? is_shared(address)
                         : has_ptx_word(one, "global") && is_global(address) && !is_shared(address);
  run.set(one, 0, holds, {'p', 1, 1});
}

namespace {

struct Change {
  std::string_view operation;
  PtxType type;
  U64 b, c;
};

U64 changed_order(const Change& how, U64 old) {
  const auto x = static_cast<std::int64_t>(old), y = static_cast<std::int64_t>(how.b);
  const bool is_less = how.type.is_signed() ? x < y : old < how.b;
  return (how.operation == "min") == is_less ? old : how.b;
}

U64 changed_integer(const Change& how, U64 old) {
  const auto [operation, type, b, c] = how;
  if (operation == "and") return old & b;
  if (operation == "or") return old | b;
  if (operation == "xor") return old ^ b;
  if (operation == "exch") return b;
  if (operation == "cas") return old == b ? c : old;
  if (operation == "add") return old + b;
  if (operation == "inc") return old >= b ? 0 : old + 1;
  if (operation == "dec") return old == 0 || old > b ? b : old - 1;
  return changed_order(how, old);
}

U64 changed_float(const Change& how, U64 old) {
  const PtxType lane{how.type.kind, how.type.bits, 1};
  U64 result = 0;
  for (unsigned i = 0; i < how.type.lanes; ++i) {
    const double a = float_value(old >> i * lane.bits & lane.mask(), lane);
    const double b = float_value(how.b >> i * lane.bits & lane.mask(), lane);
    const double after = how.operation == "min"   ? smaller(a, b, false)
                         : how.operation == "max" ? larger(a, b, false)
                         : lane.bits == 64        ? a + b
                                                  : fma_to_odd(1, a, b);
    result |= float_bits(after, lane, Round::nearest) << i * lane.bits;
  }
  return result;
}

U64 changed(const Change& how, U64 old) {
  const bool is_number = how.type.is_float() && how.operation != "exch" && how.operation != "cas";
  return is_number ? changed_float(how, old) : changed_integer(how, old);
}

// Reads a value of the type, its sign extended.
U64 read_value(U64 bits, PtxType type) {
  const bool is_negative = type.is_signed() && type.bits < 64 && (bits >> (type.bits - 1) & 1) != 0;
  return is_negative ? bits | ~type.mask() : bits;
}

template <typename Word>
U64 change_word(const Touch& touch, const Change& how) {
  auto* const word = reinterpret_cast<Word*>(touch.address);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
  const auto after = [&] { return static_cast<Word>(changed(how, read_value(before, how.type))); };
  while (!__atomic_compare_exchange_n(word, &before, after(), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  const bool is_futile = after() == before;
  if (is_futile)
    note_futile(*now, touch);
  else
    now->thread->futile = now->block->idle = 0;
  return before;
}

U64 change_memory(const Touch& touch, const Change& how) {
  switch (touch.bytes) {
    case 2:
      return change_word<std::uint16_t>(touch, how);
    case 4:
      return change_word<std::uint32_t>(touch, how);
    default:
      return change_word<U64>(touch, how);
  }
}

std::string_view atomic_operation(const PtxInstruction& one) {
  for (const char* const word :
       {"and", "or", "xor", "exch", "cas", "add", "inc", "dec", "min", "max"})
    if (has_ptx_word(one, word)) return word;
  return "";
}

// Changes memory at operand `first`; the old value goes to the operand before it, if there is one.
void change_at(PtxRun& run, const PtxInstruction& one, std::size_t first) {
  need_operands(run, one, first + 2);
  const PtxType type = last_type(one);
  const unsigned count = elements_of(one);
  const std::size_t size = type.bits * type.lanes / 8;
  auto* const at = static_cast<char*>(run.address(one.operands[first], is_in_shared(one)));
  for (unsigned i = 0; i < count; ++i) {
    Change how{atomic_operation(one), type, 0, 0};
    const Kind kind = how.operation == "exch" ? Kind::atomic_write : Kind::atomic_change;
    const Touch touch = run.touch(at + i * size, size, kind);
    check_order(one, at + i * size, touch);
    how.b = run.get(element(run, one.operands[first + 1], i, count), type);
    if (how.operation == "cas") how.c = run.get(one, first + 2, type);
    const U64 before = change_memory(touch, how);
    if (first == 1) run.set(element(run, one.operands[0], i, count), before, type);
  }
}

}  // namespace

void step_atomic(PtxRun& run, const PtxInstruction& one) { change_at(run, one, 1); }
void step_reduce(PtxRun& run, const PtxInstruction& one) { change_at(run, one, 0); }

void step_copy_async(PtxRun& run, const PtxInstruction& one) {
  need_operands(run, one, 3);
  const std::size_t bytes = run.get(one, 2, count_type);
  const bool has_filled = one.operands.size() > 3 && !has_ptx_word(one, "L2::cache_hint");
  const std::size_t filled = has_filled ? run.get(one, 3, count_type) : bytes;
  const bool is_size = bytes == 16 || (has_ptx_word(one, "ca") && (bytes == 4 || bytes == 8));
  if (!is_size || filled > bytes) not_emulated("PTX cp.async of another size", run.place());
  start_copy(
      {run.address(one.operands[0], true), run.address(one.operands[1], false), bytes, filled},
      run.place());
}
void step_copy_commit(PtxRun&, const PtxInstruction&) { close_copies(); }
void step_copy_wait(PtxRun& run, const PtxInstruction& one) {
  if (!one.operands.empty()) return await_copies(run.get(one, 0, count_type));
  close_copies();  // wait_all
  await_copies(0);
}
void step_fence(PtxRun&, const PtxInstruction&) { fence(Scope::device); }

}  // namespace kbench_emulation
