// Facts about a CUDA library that need no GPU, from the output of its compiler and a disassembler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/compiled.hpp"

namespace kbench::gpu {

// `disassemblies` are those of nvdisasm -c of each cubin.
Compiled static_report(std::string_view compiler_output,
                       const std::vector<std::string>& disassemblies);

// Facts that nvcc prints about each kernel: registers, memory, spills, warnings with their lines.

// Reads the kernels from the output of nvcc -Xptxas -v; functions that are no kernels are left out.
// Occupancy and instructions are not in it.
std::vector<CompiledKernel> kernels_in(std::string_view output);

// Reads the warnings of nvcc and of the host's compiler, each once for all architectures.
std::vector<CompilerWarning> warnings_in(std::string_view output);

}  // namespace kbench::gpu
