#include "emulate/runtime/ptx_run.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

namespace kbench_emulation {
namespace {

using OperandKind = PtxOperand::Kind;

std::uint64_t extended(std::uint64_t bits, PtxType type) {
  bits &= type.mask();
  if (!type.is_signed() || type.bits == 64) return bits;
  return bits >> (type.bits - 1) & 1 ? bits | ~type.mask() : bits;
}

std::uint64_t immediate(const PtxOperand& operand, PtxType type) {
  if (!operand.is_float) return operand.value;
  if (type.bits == 64) return operand.value;
  double value;
  std::memcpy(&value, &operand.value, sizeof value);
  const float narrow = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

struct Special {
  std::string_view name;
  std::uint64_t (*value)();
};
std::uint64_t lane_bits() { return std::uint64_t{1} << lane_index(); }
const Special specials[] = {
    {"tid.x", [] { return std::uint64_t{now->thread->index.x}; }},
    {"tid.y", [] { return std::uint64_t{now->thread->index.y}; }},
    {"tid.z", [] { return std::uint64_t{now->thread->index.z}; }},
    {"ntid.x", [] { return std::uint64_t{now->block->launch->config.block.x}; }},
    {"ntid.y", [] { return std::uint64_t{now->block->launch->config.block.y}; }},
    {"ntid.z", [] { return std::uint64_t{now->block->launch->config.block.z}; }},
    {"ctaid.x", [] { return std::uint64_t{now->block->index.x}; }},
    {"ctaid.y", [] { return std::uint64_t{now->block->index.y}; }},
    {"ctaid.z", [] { return std::uint64_t{now->block->index.z}; }},
    {"nctaid.x", [] { return std::uint64_t{now->block->launch->config.grid.x}; }},
    {"nctaid.y", [] { return std::uint64_t{now->block->launch->config.grid.y}; }},
    {"nctaid.z", [] { return std::uint64_t{now->block->launch->config.grid.z}; }},
    {"laneid", [] { return static_cast<std::uint64_t>(lane_index()); }},
    {"warpid", [] { return static_cast<std::uint64_t>(warp_index()); }},
    {"nwarpid", [] { return std::uint64_t{64}; }},
    {"smid", [] { return std::uint64_t{0}; }},
    {"nsmid", [] { return std::uint64_t{132}; }},
    {"clock", [] { return clock_count(); }},
    {"clock64", [] { return clock_count(); }},
    {"globaltimer", [] { return clock_count(); }},
    {"lanemask_eq", [] { return lane_bits(); }},
    {"lanemask_lt", [] { return lane_bits() - 1; }},
    {"lanemask_le", [] { return 2 * lane_bits() - 1; }},
    {"lanemask_gt", [] { return 0xffffffff & ~(2 * lane_bits() - 1); }},
    {"lanemask_ge", [] { return 0xffffffff & ~(lane_bits() - 1); }},
    {"dynamic_smem_size", [] { return std::uint64_t{now->block->launch->config.shared}; }},
};

const kbench::PtxProgram& parsed(const Assembly& assembly) {
  auto& cache = *reinterpret_cast<std::atomic<kbench::PtxProgram*>*>(assembly.cache);
  if (const kbench::PtxProgram* const program = cache) return *program;
  auto program = std::make_unique<kbench::PtxProgram>(kbench::parse_ptx(assembly.text));
  if (!program->problem.empty()) not_emulated(("PTX " + program->problem).c_str(), assembly.place);
  if (program->registers > PtxRun::most_own)
    not_emulated("PTX with more than 256 registers", assembly.place);
  kbench::PtxProgram* none = nullptr;
  if (cache.compare_exchange_strong(none, program.get())) program.release();
  return *cache;
}

}  // namespace

PtxType ptx_type(std::string_view word) {
  if (word == "pred") return {'p', 1, 1};
  if (word == "tf32") return {'T', 32, 1};
  if (word == "e4m3" || word == "e5m2") return {word[1], 8, 1};
  if (word == "e4m3x2" || word == "e5m2x2") return {word[1], 8, 2};
  PtxType type;
  if (word.substr(0, 2) == "bf") {
    type.kind = 'B';
    word.remove_prefix(2);
  } else {
    type.kind = word.empty() ? 'b' : word[0];
    word.remove_prefix(word.empty() ? 0 : 1);
  }
  for (const char c : word.substr(0, word.find('x')))
    type.bits = type.bits * 10 + static_cast<unsigned>(c - '0');
  if (word.find('x') != word.npos) type.lanes = 2;
  return type;
}

bool has_ptx_word(const PtxInstruction& one, std::string_view word) {
  return std::find(one.words.begin(), one.words.end(), word) != one.words.end();
}

std::uint64_t special_register(std::string_view name, Place place) {
  for (const Special& row : specials)
    if (row.name == name) return row.value();
  not_emulated(("PTX %" + std::string(name)).c_str(), place);
}

PtxRun::PtxRun(const kbench::PtxProgram& program, const Operand* arguments, std::size_t count,
               Place place)
    : program_(program), given_(arguments), count_(count), place_(place) {
  if (count > most_arguments) not_emulated("PTX with more than 64 operands", place);
  for (std::size_t i = 0; i < count; ++i) arguments_[i].value = arguments[i].value;
}

void PtxRun::run() {
  while (next_ < program_.instructions.size()) {
    const PtxInstruction& one = program_.instructions[next_++];
    if (one.is_guarded && !get_predicate(one.guard)) continue;
    ptx_step(kbench::ptx_forms()[one.form].operation)(*this, one);
  }
  store_outputs();
}

void PtxRun::store_outputs() {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!arguments_[i].is_set || given_[i].place == nullptr) continue;
    check_access(given_[i].place, given_[i].bytes, 1, Access::write, place_);
    std::memcpy(given_[i].place, &arguments_[i].value, std::min<std::size_t>(given_[i].bytes, 8));
  }
}

std::uint64_t PtxRun::get(const PtxOperand& operand, PtxType type) const {
  std::uint64_t bits = 0;
  switch (operand.kind) {
    case OperandKind::argument:
      if (operand.index >= count_) not_emulated("PTX with an operand that is not there", place_);
      bits = arguments_[operand.index].value;
      break;
    case OperandKind::own:
      bits = own_[operand.index];
      break;
    case OperandKind::immediate:
      bits = immediate(operand, type);
      break;
    case OperandKind::special:
      bits = special_register(operand.name, place_);
      break;
    case OperandKind::nothing:
      break;
    default:
      not_emulated(("PTX with the operand " + operand.name).c_str(), place_);
  }
  return extended(bits, type.lanes == 2 ? PtxType{'b', 2 * type.bits, 1} : type);
}

std::uint64_t PtxRun::get(const PtxInstruction& one, std::size_t i, PtxType type) const {
  if (i >= one.operands.size())
    not_emulated(("PTX " + one.opcode + " with too few operands").c_str(), place_);
  return get(one.operands[i], type);
}

float PtxRun::get_float(const PtxInstruction& one, std::size_t i) const {
  const auto bits = static_cast<std::uint32_t>(get(one, i, {'f', 32, 1}));
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool PtxRun::get_predicate(const PtxOperand& operand) const {
  return (get(operand, {'b', 32, 1}) != 0) != operand.is_negated;
}

void PtxRun::set(const PtxOperand& operand, std::uint64_t bits, PtxType type) {
  bits = extended(bits, type.lanes == 2 ? PtxType{'b', 2 * type.bits, 1} : type);
  if (operand.kind == OperandKind::own) {
    own_[operand.index] = bits;
  } else if (operand.kind == OperandKind::argument && operand.index < count_) {
    arguments_[operand.index] = {bits, true};
  } else if (operand.kind != OperandKind::nothing) {
    not_emulated(("PTX that writes to " + operand.name).c_str(), place_);
  }
}

void PtxRun::set(const PtxInstruction& one, std::size_t i, std::uint64_t bits, PtxType type) {
  if (i >= one.operands.size())
    not_emulated(("PTX " + one.opcode + " with too few operands").c_str(), place_);
  set(one.operands[i], bits, type);
}

void* PtxRun::address(const PtxOperand& operand, bool is_shared) const {
  if (operand.kind != OperandKind::address || operand.elements.size() != 1)
    not_emulated("PTX with an address of another form", place_);
  const std::uint64_t at =
      get(operand.elements[0], {'u', is_shared ? 32u : 64u, 1}) + operand.value;
  return is_shared ? from_shared_window(at) : reinterpret_cast<void*>(at);
}

Touch PtxRun::touch(const void* at, std::size_t bytes, Kind kind) const {
  return {reinterpret_cast<std::uintptr_t>(at), static_cast<std::uint32_t>(bytes), kind, {place_}};
}

void assemble(const Assembly& assembly, const Operand* operands, size_t count) {
  if (now == nullptr) not_emulated("inline PTX on the host", assembly.place);
  PtxRun(parsed(assembly), operands, count, assembly.place).run();
}

namespace {

struct StepRow {
  PtxOperation operation;
  PtxStep step;
};
void step_none(PtxRun&, const PtxInstruction&) {}
const StepRow step_rows[] = {
#define KB_ROW(name) {PtxOperation::name, step_##name},
    KB_ROW(none) KB_ROW(move) KB_ROW(load) KB_ROW(store) KB_ROW(convert_address) KB_ROW(arithmetic)
        KB_ROW(multiply) KB_ROW(multiply_add) KB_ROW(fused) KB_ROW(divide) KB_ROW(compare)
            KB_ROW(select) KB_ROW(logic) KB_ROW(shift) KB_ROW(funnel) KB_ROW(lop3) KB_ROW(permute)
                KB_ROW(bit_field) KB_ROW(count_bits) KB_ROW(function) KB_ROW(convert)
                    KB_ROW(convert_pair) KB_ROW(atomic) KB_ROW(reduce) KB_ROW(shuffle) KB_ROW(vote)
                        KB_ROW(match) KB_ROW(redux) KB_ROW(active_mask) KB_ROW(elect)
                            KB_ROW(block_barrier) KB_ROW(arrive) KB_ROW(warp_barrier) KB_ROW(fence)
                                KB_ROW(copy_async) KB_ROW(copy_commit) KB_ROW(copy_wait)
                                    KB_ROW(load_matrix) KB_ROW(store_matrix) KB_ROW(mma)
                                        KB_ROW(barrier_init) KB_ROW(barrier_arrive)
                                            KB_ROW(barrier_wait) KB_ROW(barrier_of_copies)
                                                KB_ROW(branch) KB_ROW(sleep) KB_ROW(trap)
                                                    KB_ROW(is_space) KB_ROW(copy_sign)
#undef KB_ROW
};

}  // namespace

PtxStep ptx_step(PtxOperation operation) {
  const StepRow& row = step_rows[static_cast<std::size_t>(operation)];
  return row.operation == operation ? row.step : nullptr;  // rows are in the enumeration's order
}

void step_branch(PtxRun& run, const PtxInstruction& one) {
  if (one.operands.size() != 1 || one.operands[0].kind != PtxOperand::Kind::label)
    not_emulated("PTX bra to what is no label", run.place());
  run.jump(one.operands[0].index);
}
void step_sleep(PtxRun&, const PtxInstruction&) { pause(); }
void step_trap(PtxRun& run, const PtxInstruction&) { fail("TRAP", "trap;", run.place()); }

}  // namespace kbench_emulation
