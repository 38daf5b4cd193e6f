// What can be said of a CUDA solution without running it: what its compiler says of each kernel,
// and what the machine code is made of (docs/build.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/field.hpp"
#include "schema/ordered_map.hpp"

namespace kbench {

// Numbers of instructions of a kernel as they stand in its code.
struct InstructionMix {
  std::int64_t all = 0;
  std::int64_t tensor = 0;  // products of matrices
  std::int64_t float16 = 0, float32 = 0, float64 = 0, special = 0;
  std::int64_t global_loads = 0, wide_global_loads = 0;
  std::int64_t global_stores = 0, wide_global_stores = 0;
  std::int64_t async_copies = 0;
  std::int64_t shared_loads = 0, shared_stores = 0;
  std::int64_t local = 0;
  std::int64_t atomics = 0, shuffles = 0, barriers = 0;
  FieldSet present{};
};

// What a compiler says of one kernel for one architecture. Stack and spills are bytes of a thread,
// shared memory that of a block.
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
  OrderedMap<double> occupancy;  // by threads of a block: "256"; share of a multiprocessor's warps
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
  std::optional<std::string> no_instructions;  // why kernels say nothing of theirs
  FieldSet present{};
};

}  // namespace kbench
