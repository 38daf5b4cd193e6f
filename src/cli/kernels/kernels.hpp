// The verbs of kbench kernels, one file each: kernels_<verb>.cpp. docs/kernels.md
#pragma once

#include <functional>

#include "kernels/contract/kernel_set.hpp"

namespace kbench {

class CommandLine;

std::function<int()> declare_kernels_list(CommandLine line);
std::function<int()> declare_kernels_resolve(CommandLine line);
std::function<int()> declare_kernels_schema(CommandLine line);
std::function<int()> declare_kernels_merge(CommandLine line);
std::function<int()> declare_kernels_select(CommandLine line);
std::function<int()> declare_kernels_codegen(CommandLine line);
std::function<int()> declare_kernels_check(CommandLine line);
std::function<int()> declare_kernels_test(CommandLine line);
std::function<int()> declare_kernels_define(CommandLine line);

// The options by which kernel libraries are named.
class CommandLine;

void declare_libraries(CommandLine line, KernelOptions& options);

}  // namespace kbench
