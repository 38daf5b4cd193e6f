// CUDA kernels by themselves (BuildSpec::launch): NVRTC makes machine code of one source, without a
// compiler for the host. Nothing here needs a GPU.
#pragma once

#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// "" where NVRTC is.
std::string nvrtc_unavailable(const Toolchain& toolchain);

// BuildResult::library is what base/cubins.hpp unpacks, `symbol` the kernel in it. Nothing is
// reported of the kernels' instructions yet: disassembling takes ten times as long. Needs a
// toolchain with a cache and a folder for libraries. Throws std::runtime_error where NVRTC cannot
// compile anything.
BuildResult build_kernel(const Solution& solution, const Toolchain& toolchain);

// Says of what build_kernel() has built what its instructions are, once for the same code. Nothing
// is changed in any other result.
void add_instructions(const Solution& solution, const Toolchain& toolchain, BuildResult& result);

// NVRTC's options but for the architecture and folders: kbench's own, then the solution's.
std::vector<std::string> nvrtc_flags(const Solution& solution);
// The arguments of kbench-worker (nvrtc_library/compile.hpp), which runs where the sources are.
std::vector<std::string> nvrtc_command(const Solution& solution, const Toolchain& toolchain,
                                       const std::filesystem::path& library);

}  // namespace kbench
