#include "gpu/static_report.hpp"

#include "gpu/architecture.hpp"
#include "gpu/instruction_mix.hpp"
#include "gpu/ptxas_report.hpp"
#include "gpu/sass.hpp"

namespace kbench::gpu {
namespace {

constexpr int block_sizes[] = {64, 128, 256, 512, 1024};

void add_occupancy(CompiledKernel& kernel) {
  const Architecture* const architecture = find_architecture(kernel.architecture);
  if (architecture == nullptr) return;
  const KernelNeeds needs{static_cast<int>(kernel.registers), kernel.shared_bytes};
  for (const int threads : block_sizes)
    kernel.occupancy[std::to_string(threads)] = occupancy(*architecture, needs, threads);
}

void add_code(std::vector<CompiledKernel>& kernels, const Code& code) {
  for (CompiledKernel& kernel : kernels) {
    if (kernel.symbol != code.symbol || kernel.architecture != code.architecture) continue;
    kernel.instructions = mix_of(code);
  }
}

}  // namespace

Compiled static_report(std::string_view compiler_output,
                       const std::vector<std::string>& disassemblies) {
  Compiled report;
  report.kernels = kernels_in(compiler_output);
  report.warnings = warnings_in(compiler_output);
  for (CompiledKernel& kernel : report.kernels) add_occupancy(kernel);
  for (const std::string& disassembly : disassemblies)
    for (const Code& code : read_sass(disassembly))
      if (code.is_kernel) add_code(report.kernels, code);
  return report;
}

}  // namespace kbench::gpu
