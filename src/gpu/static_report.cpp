#include "gpu/static_report.hpp"

#include <algorithm>

#include "gpu/accesses.hpp"
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

std::string name_of(std::string_view file, std::string_view folder) {
  if (!folder.empty() && file.starts_with(folder)) {
    file.remove_prefix(folder.size());
    while (file.starts_with('/')) file.remove_prefix(1);
    return std::string(file);
  }
  return std::string(file.substr(file.rfind('/') + 1));
}

bool is_of_one_line(const CostlyAccess& a, const CostlyAccess& b) {
  return a.instruction == b.instruction && a.memory == b.memory && a.file == b.file &&
         a.line == b.line && a.times == b.times;
}

std::vector<CostlyAccess> accesses_of(const Code& code, std::string_view folder) {
  std::vector<CostlyAccess> all;
  for (const Access& access : costly_accesses(code)) {
    CostlyAccess one;
    one.instruction = access.instruction->opcode;
    one.memory = access.is_shared ? "shared" : "global";
    one.file = name_of(access.instruction->file, folder);
    one.line = access.instruction->line;
    one.times = access.times;
    const auto known = std::find_if(all.begin(), all.end(), [&](const CostlyAccess& before) {
      return is_of_one_line(before, one);
    });
    if (known == all.end())
      all.push_back(std::move(one));
    else
      ++known->count;
  }
  return all;
}

void add_code(std::vector<CompiledKernel>& kernels, const Code& code, std::string_view folder) {
  for (CompiledKernel& kernel : kernels) {
    if (kernel.symbol != code.symbol || kernel.architecture != code.architecture) continue;
    kernel.instructions = mix_of(code);
    kernel.costly_accesses = accesses_of(code, folder);
  }
}

}  // namespace

Compiled static_report(std::string_view compiler_output,
                       const std::vector<std::string>& disassemblies, std::string_view folder) {
  Compiled report;
  report.kernels = kernels_in(compiler_output);
  report.warnings = warnings_in(compiler_output);
  for (CompiledKernel& kernel : report.kernels) add_occupancy(kernel);
  for (const std::string& disassembly : disassemblies)
    for (const Code& code : read_sass(disassembly))
      if (code.is_kernel) add_code(report.kernels, code, folder);
  return report;
}

}  // namespace kbench::gpu
