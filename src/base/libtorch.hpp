// What kbench takes from Python packages when it runs, and is shipped without: LibTorch, and
// tvm-ffi's headers and library for candidates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct LibTorch {
  std::filesystem::path folder;  // with include/ and lib/
  std::string version;           // "2.15.0"; "" where its headers do not say
};

// `place` is a LibTorch, a torch package, the folder that holds one, or a virtual environment.
std::optional<LibTorch> libtorch_in(const std::filesystem::path& place);

// Where KBENCH_TORCH says; without it <prefix>/lib/kbench/torch, which in a build folder leads to
// what kbench was built with, then the active virtual environment.
std::optional<LibTorch> find_libtorch();

// Why kbench-torch, built for the version `wanted`, cannot start with it, and what to do; "" when
// it can. `given` is KBENCH_TORCH.
std::string libtorch_problem(const std::optional<LibTorch>& found, std::string_view wanted,
                             std::string_view given);

// What kbench-torch's environment needs, to load the LibTorch that is found. Throws
// std::runtime_error, libtorch_problem().
std::vector<std::string> libtorch_environment();

// The folder with include/ and lib/: the one that kbench was built with, or beside LibTorch.
std::optional<std::filesystem::path> find_tvm_ffi();

}  // namespace kbench
