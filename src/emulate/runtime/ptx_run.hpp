// Execution of inline PTX by one thread, operation by operation.
#pragma once

#include <kbench_emulation.h>
#include <kbench_emulation_floats.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "emulate/ptx/forms.hpp"
#include "emulate/ptx/text.hpp"
#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

using kbench::PtxInstruction;
using kbench::PtxOperand;
using kbench::PtxOperation;

// Type of an instruction: u, s and b for integers, f for floats, B for bfloat16, p for predicates,
// T for tf32, 4 and 5 for the two of eight bits.
struct PtxType {
  char kind = 'b';
  unsigned bits = 0, lanes = 1;

  bool is_float() const { return kind == 'f' || kind == 'B'; }
  bool is_signed() const { return kind == 's'; }
  std::uint64_t mask() const {
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
};
PtxType ptx_type(std::string_view word);

class PtxRun {
 public:
  static constexpr std::size_t most_own = 256, most_arguments = 64;

  PtxRun(const kbench::PtxProgram& program, const Operand* arguments, std::size_t count,
         Place place);

  void run();
  Place place() const { return place_; }

  // Returns an operand's bits in a type: an immediate is converted, an integer cut off.
  std::uint64_t get(const PtxOperand& operand, PtxType type) const;
  std::uint64_t get(const PtxInstruction& one, std::size_t i, PtxType type) const;
  float get_float(const PtxInstruction& one, std::size_t i) const;
  bool get_predicate(const PtxOperand& operand) const;
  // Sets a register; the bits above the type's are those of its sign.
  void set(const PtxOperand& operand, std::uint64_t bits, PtxType type);
  void set(const PtxInstruction& one, std::size_t i, std::uint64_t bits, PtxType type);
  // Returns the memory of an address operand, in the instruction's space.
  void* address(const PtxOperand& operand, bool is_shared) const;
  Touch touch(const void* at, std::size_t bytes, Kind kind) const;
  void jump(std::size_t to) { next_ = to; }

 private:
  struct Argument {
    std::uint64_t value = 0;
    bool is_set = false;
  };
  void store_outputs();

  const kbench::PtxProgram& program_;
  const Operand* given_;
  std::size_t count_;
  Place place_;
  std::size_t next_ = 0;
  std::array<std::uint64_t, most_own> own_{};
  std::array<Argument, most_arguments> arguments_{};
};

// Function of a PTX operation, one each, behind the rows of emulate/ptx/forms.cpp.
using PtxStep = void (*)(PtxRun& run, const PtxInstruction& one);
PtxStep ptx_step(PtxOperation operation);
// Returns a word of the instruction's form: 0 is the first after its name, -1 the last.
inline std::string_view ptx_word(const PtxInstruction& one, int slot) {
  const auto count = static_cast<int>(one.words.size());
  const int at = slot < 0 ? count + slot : slot;
  return at >= 0 && at < count ? std::string_view(one.words[static_cast<std::size_t>(at)])
                               : std::string_view();
}
bool has_ptx_word(const PtxInstruction& one, std::string_view word);
inline PtxType last_type(const PtxInstruction& one) { return ptx_type(ptx_word(one, -1)); }
std::uint64_t special_register(std::string_view name, Place place);

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
// Rounds x once, if it is exact or rounded to odd.
std::uint64_t float_bits(double x, PtxType type, Round round);
Round ptx_round(const PtxInstruction& one);
// Returns zero for a subnormal float where .ftz stands.
double flushed(double x, PtxType type, bool ftz);
std::string_view name_of_opcode(const PtxInstruction& one);  // name without its modifiers

}  // namespace kbench_emulation
