// What can be said of a CUDA library without a GPU, from what its compiler and a disassembler
// print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/compiled.hpp"

namespace kbench::gpu {

// `disassemblies` are those of nvdisasm -c of each cubin.
Compiled static_report(std::string_view compiler_output,
                       const std::vector<std::string>& disassemblies);

// What nvcc says of each kernel: registers, memory, spills, warnings with their lines.

// Reads the kernels from the output of nvcc -Xptxas -v; functions that are no kernels are left out.
// Occupancy and instructions are not in it.
std::vector<CompiledKernel> kernels_in(std::string_view output);

// Reads the warnings of nvcc and of the host's compiler, each once however many architectures it
// was said for.
std::vector<CompilerWarning> warnings_in(std::string_view output);

}  // namespace kbench::gpu
