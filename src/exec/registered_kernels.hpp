// Kernels that a shared library registers when it is loaded, which kbench-worker does in a sandbox.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kbench {

// One kernel, in the library's words.
struct RegisteredKernel {
  std::string op;
  std::string key;     // "v1/6;0,1"; "": the default
  std::string symbol;  // "my::native::add"; "" where it is not known
  std::string where;   // "kernels.yaml:12"; "" where it is not known
};

struct RegisteredKernels {
  std::vector<RegisteredKernel> kernels;
  std::string problem;  // reason that nothing is listed, one line
};

// `library` is built from the output of kbench kernels codegen. Libraries that it is linked to are
// found beside it, among the system's, and in LD_LIBRARY_PATH.
RegisteredKernels registered_kernels(const std::filesystem::path& worker,
                                     const std::filesystem::path& library,
                                     std::chrono::milliseconds limit);

}  // namespace kbench
