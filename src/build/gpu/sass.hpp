// Output of nvdisasm for a cubin: the machine code of its kernels, instruction by instruction.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "schema/compiled.hpp"

namespace kbench::gpu {

// "/*0130*/ @P0 STS.64 [R9.X8+0x10], R2 ;" All texts lie in the disassembly.
struct Instruction {
  std::string_view address;    // "0130", hexadecimal bytes from the kernel's begin
  std::string_view predicate;  // "@P0"; "" where it is always executed
  std::string_view opcode;     // "STS.64"
  std::vector<std::string_view> operands;

  std::string_view name() const { return opcode.substr(0, opcode.find('.')); }  // "STS"
  bool has(std::string_view modifier) const;                                    // "64" of "STS.64"
};

struct Code {
  std::string_view symbol;        // mangled
  std::string_view architecture;  // "sm_90"
  bool is_kernel = false;         // it can be launched; else a function that kernels call
  std::vector<Instruction> instructions;
  std::map<std::string_view, std::size_t> labels;  // ".L_x_2" → index of an instruction
};

// Reads the output of nvdisasm -c, which outlives the result. Padding is left out. A text that is
// no disassembly has no code.
std::vector<Code> read_sass(std::string_view disassembly);

// Composition of a kernel's machine code.

// Counts instructions as they stand in the code, not as often as they are executed.
InstructionMix mix_of(const Code& code);

}  // namespace kbench::gpu
