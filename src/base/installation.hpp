// Places of kbench's own parts. A build folder is laid out like a prefix that it is installed to,
// so both have one answer: <prefix>/bin, <prefix>/lib/kbench, <prefix>/share/kbench.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

struct Installation {
  std::filesystem::path programs;  // kbench, and those that it starts
  std::filesystem::path plugins;   // kbench-torch.so of each LibTorch, python/
  std::filesystem::path headers;   // kbench_ffi.h, for candidates
};

// The one that a program in its folder `programs` belongs to.
Installation installation_of(const std::filesystem::path& program);
// Returns that of the running program.
Installation installation();

// Programs on this machine.

// The program of that name, as a shell would find it by PATH; "" where there is none.
std::filesystem::path find_program(const std::string& name);

// PATH of the environment that a program is started with: without folders that depend on where one
// stands, which may be a stranger's, or where programs are on every machine.
std::string search_path();

}  // namespace kbench
