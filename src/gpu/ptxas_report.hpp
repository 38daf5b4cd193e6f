// What nvcc says of each kernel: registers, memory, spills, warnings with their lines.
#pragma once

#include <string_view>
#include <vector>

#include "schema/compiled.hpp"

namespace kbench::gpu {

// Reads the kernels from the output of nvcc -Xptxas -v; functions that are no kernels are left out.
// Occupancy and instructions are not in it.
std::vector<CompiledKernel> kernels_in(std::string_view output);

// Reads the warnings of nvcc and of the host's compiler, each once however many architectures it
// was said for.
std::vector<CompilerWarning> warnings_in(std::string_view output);

}  // namespace kbench::gpu
