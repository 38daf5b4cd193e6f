// CUDA kernels by themselves (BuildSpec::launch): NVRTC makes machine code of one source, without a
// compiler for the host. Nothing here needs a GPU.
#pragma once

#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// Returns "" where NVRTC is.
std::string nvrtc_unavailable(const Toolchain& toolchain);

// Builds a library that base/cubins.hpp unpacks, with the kernel `symbol`. The report has no
// instructions of kernels yet: disassembling takes ten times as long. Needs a toolchain with a
// cache and a folder for libraries. Throws std::runtime_error where NVRTC cannot compile anything.
BuildResult build_kernel(const Solution& solution, const Toolchain& toolchain);

// Adds the instructions of kernels to a result of build_kernel(), once for the same code. Other
// results stay as they are.
void add_instructions(const Solution& solution, const Toolchain& toolchain, BuildResult& result);

// NVRTC's options but for the architecture and folders: kbench's own, then the solution's.
std::vector<std::string> nvrtc_flags(const Solution& solution);
// Returns the arguments of kbench-worker (nvrtc_library/compile.hpp), which runs where the sources
// are.
std::vector<std::string> nvrtc_command(const Solution& solution, const Toolchain& toolchain,
                                       const std::filesystem::path& library);

}  // namespace kbench
