// Text of inline PTX, taken apart: instructions with their operands, registers, labels. The runtime
// does it when a thread first comes to the text, and refuses unknown instructions then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct PtxOperand {
  enum class Kind : std::uint8_t {
    argument,   // %0: operand of the asm statement
    own,        // register that the text declares
    special,    // %laneid
    immediate,  // number, as its bits
    address,    // [elements[0] + value]
    vector,     // {elements}
    pair,       // elements[0] | elements[1]
    label,
    nothing  // _
  };
  Kind kind = Kind::nothing;
  bool is_negated = false;  // !p
  bool is_float = false;    // immediate that is a double
  std::size_t index = 0;    // number of an argument, a register, an instruction
  std::uint64_t value = 0;  // immediate's bits, or an offset
  std::string name;
  std::vector<PtxOperand> elements;
};

struct PtxInstruction {
  std::string opcode;              // name with its modifiers, "ld.global.v4.f32"
  std::vector<std::string> words;  // one a slot of its form, "" if unused
  std::size_t form = 0;            // its row in ptx_forms()
  bool is_guarded = false;
  PtxOperand guard;  // @p, @!p
  std::vector<PtxOperand> operands;
};

struct PtxProgram {
  std::vector<PtxInstruction> instructions;
  std::size_t registers = 0;
  std::string problem;  // error, "" if all is understood
};

PtxProgram parse_ptx(std::string_view text);

}  // namespace kbench
