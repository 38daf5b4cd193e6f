// The text of inline PTX, taken apart: instructions with their operands, registers, labels. Used by
// the translator, which refuses what is not known, and by the runtime, which executes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct PtxOperand {
  enum class Kind : std::uint8_t {
    argument,   // %0: of the asm statement
    own,        // a register that the text declares
    special,    // %laneid
    immediate,  // a number, as its bits
    address,    // [elements[0] + value]
    vector,     // {elements}
    pair,       // elements[0] | elements[1]
    label,
    nothing  // _
  };
  Kind kind = Kind::nothing;
  bool is_negated = false;  // !p
  bool is_float = false;    // an immediate, as a double
  std::size_t index = 0;    // of an argument, a register, an instruction
  std::uint64_t value = 0;  // of an immediate, an offset
  std::string name;
  std::vector<PtxOperand> elements;
};

struct PtxInstruction {
  std::string opcode;              // with its modifiers, "ld.global.v4.f32"
  std::vector<std::string> words;  // by the slots of its form, "" where one is not used
  std::size_t form = 0;            // its row in ptx_forms()
  bool is_guarded = false;
  PtxOperand guard;  // @p, @!p
  std::vector<PtxOperand> operands;
};

struct PtxProgram {
  std::vector<PtxInstruction> instructions;
  std::size_t registers = 0;
  std::string problem;  // what is not understood, "" where all is
};

PtxProgram parse_ptx(std::string_view text);

}  // namespace kbench
