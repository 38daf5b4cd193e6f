// What nvcc says of each kernel: registers, memory, spills, warnings with their lines.
#pragma once

#include <string_view>
#include <vector>

#include "schema/compiled.hpp"

namespace kbench::gpu {

// From the output of nvcc -Xptxas -v; functions that are no kernels are left out. Of occupancy and
// instructions it says nothing.
std::vector<CompiledKernel> kernels_in(std::string_view output);

// Of nvcc and of the host's compiler, each once however many architectures it was said for.
std::vector<CompilerWarning> warnings_in(std::string_view output);

}  // namespace kbench::gpu
