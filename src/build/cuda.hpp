// CUDA solutions: one call of nvcc makes a shared library. Nothing here needs a GPU.
#pragma once

#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// Kernel that every compiler of CUDA compiles: where that fails, no solution is at fault.
inline const SourceFile empty_kernel{"nothing.cu", "__global__ void nothing() {}\n"};

// Reasons that a report has no instructions of kernels.
constexpr const char* no_nvdisasm = "no nvdisasm found: docs/cuda.md says how to install it";
constexpr const char* not_all_disassembled = "nvdisasm does not disassemble all kernels";

// Returns "" where there are nvcc and a compiler for the host's part.
std::string cuda_unavailable(const Toolchain& toolchain);

// Needs a toolchain with a cache and a folder for libraries. Throws std::runtime_error where nvcc
// cannot compile anything.
BuildResult build_cuda(const Solution& solution, const Toolchain& toolchain);

// Returns the architectures that the toolchain is told, else those of the solution's target
// hardware, else that of the GPU here, else sm_90.
std::vector<std::string> architectures_for(const Solution& solution, const Toolchain& toolchain);

std::vector<std::string> cuda_flags(const Solution& solution, const Toolchain& toolchain);
// nvcc's arguments, sources relative to the folder it runs in; flags are those of
// FlashInfer-Bench's builder, then the solution's own.
std::vector<std::string> cuda_command(const Solution& solution, const Toolchain& toolchain,
                                      const std::filesystem::path& library);

}  // namespace kbench
