// Facts about a CUDA solution that need no run: its compiler's words on each kernel, and the
// make-up of the machine code (docs/build.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

// Numbers of instructions of a kernel as they stand in its code.
struct InstructionMix {
  std::int64_t all = 0;
  std::int64_t tensor = 0;  // matrix products
  std::int64_t float16 = 0, float32 = 0, float64 = 0, special = 0;
  std::int64_t global_loads = 0, wide_global_loads = 0;
  std::int64_t global_stores = 0, wide_global_stores = 0;
  std::int64_t async_copies = 0;
  std::int64_t shared_loads = 0, shared_stores = 0;
  std::int64_t local = 0;
  std::int64_t atomics = 0, shuffles = 0, barriers = 0;
  FieldSet present{};
};

// Figures that a compiler gives of one kernel for one architecture. Stack and spills are bytes of a
// thread, shared memory that of a block.
struct CompiledKernel {
  std::string kernel;        // "scale<8>(float const*, float*, int)"
  std::string symbol;        // mangled
  std::string architecture;  // "sm_90"
  std::int64_t registers = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;  // static
  std::int64_t constant_bytes = 0;
  std::int64_t barriers = 0;
  OrderedMap<double> occupancy;  // key: threads of a block, "256"; value: share of all warps
  std::optional<InstructionMix> instructions;
  FieldSet present{};
};

struct CompilerWarning {
  std::string file;
  std::int64_t line = 0;
  std::string text;
  FieldSet present{};
};

struct Compiled {
  std::vector<CompiledKernel> kernels;
  std::vector<CompilerWarning> warnings;
  std::optional<std::string> no_instructions;  // reason why no kernel has its instructions
  FieldSet present{};
};

constexpr auto fields(const InstructionMix*) {
  using Mix = InstructionMix;
  constexpr Rule count = Rule::non_negative;
  return std::tuple{
      Field{"all", &Mix::all, Need::required, count, "All of them."},
      Field{"tensor", &Mix::tensor, Need::optional, count, "Products of matrices (tensor cores)."},
      Field{"float16", &Mix::float16, Need::optional, count, "Arithmetic of pairs of 16 bits."},
      Field{"float32", &Mix::float32, Need::optional, count, "Arithmetic of 32 bits."},
      Field{"float64", &Mix::float64, Need::optional, count, "Arithmetic of 64 bits."},
      Field{"special", &Mix::special, Need::optional, count,
            "Reciprocals, roots, exponentials, sines."},
      Field{"global_loads", &Mix::global_loads, Need::optional, count,
            "Loads from the device's memory."},
      Field{"wide_global_loads", &Mix::wide_global_loads, Need::optional, count,
            "Of these, of 16 bytes or more."},
      Field{"global_stores", &Mix::global_stores, Need::optional, count,
            "Stores to the device's memory."},
      Field{"wide_global_stores", &Mix::wide_global_stores, Need::optional, count,
            "Of these, of 16 bytes or more."},
      Field{"async_copies", &Mix::async_copies, Need::optional, count,
            "Copies between the device's memory and shared memory that no thread waits for."},
      Field{"shared_loads", &Mix::shared_loads, Need::optional, count,
            "Loads from shared memory, of matrices too."},
      Field{"shared_stores", &Mix::shared_stores, Need::optional, count,
            "Stores to shared memory."},
      Field{"local", &Mix::local, Need::optional, count,
            "Loads and stores of a thread's own memory: its stack, and registers that do not fit."},
      Field{"atomics", &Mix::atomics, Need::optional, count, "Atomic operations."},
      Field{"shuffles", &Mix::shuffles, Need::optional, count,
            "Exchanges and reductions between the threads of a warp."},
      Field{"barriers", &Mix::barriers, Need::optional, count, "Barriers of a block."}};
}

constexpr auto fields(const CompiledKernel*) {
  using Kernel = CompiledKernel;
  return std::tuple{
      Field{"kernel", &Kernel::kernel, Need::required, Rule::any, "Its name in C++."},
      Field{"symbol", &Kernel::symbol, Need::required, Rule::any, "Its name in the library."},
      Field{"architecture", &Kernel::architecture, Need::required, Rule::any,
            "What it was compiled for: \"sm_90\"."},
      Field{"registers", &Kernel::registers, Need::required, Rule::non_negative, "Of a thread."},
      Field{"stack_bytes", &Kernel::stack_bytes, Need::required, Rule::non_negative,
            "Of a thread, in the device's memory."},
      Field{"spill_store_bytes", &Kernel::spill_store_bytes, Need::required, Rule::non_negative,
            "Of registers that do not fit, stored."},
      Field{"spill_load_bytes", &Kernel::spill_load_bytes, Need::required, Rule::non_negative,
            "Of these, loaded again."},
      Field{"shared_bytes", &Kernel::shared_bytes, Need::required, Rule::non_negative,
            "Static shared memory of a block."},
      Field{"constant_bytes", &Kernel::constant_bytes, Need::required, Rule::non_negative,
            "Of constant bank 0: arguments and what comes before them."},
      Field{"barriers", &Kernel::barriers, Need::required, Rule::non_negative, "Of a block."},
      Field{"occupancy", &Kernel::occupancy, Need::required, Rule::any,
            "By threads of a block: the share of a multiprocessor's warps that are there at once, "
            "without dynamic shared memory."},
      Field{"instructions", &Kernel::instructions, Need::extension, Rule::any,
            "Of its code; absent where nothing disassembled it."}};
}

constexpr auto fields(const CompilerWarning*) {
  return std::tuple{
      Field{"file", &CompilerWarning::file, Need::required, Rule::any, "Of the source."},
      Field{"line", &CompilerWarning::line, Need::required, Rule::non_negative, "Counted from 1."},
      Field{"text", &CompilerWarning::text, Need::required, Rule::any, "What the compiler says."}};
}

constexpr auto fields(const Compiled*) {
  return std::tuple{
      Field{"kernels", &Compiled::kernels, Need::required, Rule::any,
            "Each kernel, for each architecture."},
      Field{"warnings", &Compiled::warnings, Need::required, Rule::any, "Of the compilers."},
      Field{"no_instructions", &Compiled::no_instructions, Need::extension, Rule::any,
            "Why kernels say nothing of their instructions."}};
}

}  // namespace kbench
