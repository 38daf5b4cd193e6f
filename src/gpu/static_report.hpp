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

}  // namespace kbench::gpu
