// Where kbench's own parts lie. A build folder is laid out like a prefix that it is installed to,
// so both have one answer: <prefix>/bin, <prefix>/lib/kbench, <prefix>/share/kbench.
#pragma once

#include <filesystem>

namespace kbench {

struct Installation {
  std::filesystem::path programs;  // kbench, and those that it starts
  std::filesystem::path plugins;   // kbench-torch.so of each LibTorch, python/
  std::filesystem::path headers;   // kbench_ffi.h, for candidates
};

// The one that a program in its folder `programs` belongs to.
Installation installation_of(const std::filesystem::path& program);
// That of the running program.
Installation installation();

}  // namespace kbench
