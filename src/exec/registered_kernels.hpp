// What a shared library registers when it is loaded, which kbench-worker does in a sandbox.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kbench {

// As the library says it.
struct RegisteredKernel {
  std::string op;
  std::string key;     // "v1/6;0,1"; "": the default
  std::string symbol;  // "my::native::add"; "" where it is not known
  std::string where;   // "kernels.yaml:12"; "" where it is not known
};

struct RegisteredKernels {
  std::vector<RegisteredKernel> kernels;
  std::string problem;  // why there is nothing to list; of one line
};

// `library` is built from the output of kbench kernels codegen. What it is linked to is found
// beside it, where the system has its libraries, and in LD_LIBRARY_PATH.
RegisteredKernels registered_kernels(const std::filesystem::path& worker,
                                     const std::filesystem::path& library,
                                     std::chrono::milliseconds limit);

}  // namespace kbench
