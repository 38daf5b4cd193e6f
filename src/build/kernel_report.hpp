// What nvcc says of each kernel: registers, memory, spills, warnings with their lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Of one kernel for one architecture. Bytes of a thread, shared memory of a block.
struct KernelReport {
  std::string kernel;        // "scale<8>(float const*, float*, int)"
  std::string architecture;  // "sm_90"
  int registers = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;  // static
  std::int64_t constant_bytes = 0;
  int barriers = 0;
};

// From the output of nvcc -Xptxas -v; functions that are no kernels are left out.
std::vector<KernelReport> kernel_reports(std::string_view output);

struct CompilerWarning {
  std::string file;
  int line = 0;
  std::string text;
};

// Of nvcc and of the host's compiler, each once however many architectures it was said for.
std::vector<CompilerWarning> compiler_warnings(std::string_view output);

}  // namespace kbench
