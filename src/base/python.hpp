// The Python that references and candidates run in: one of an environment, never kbench's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Packages of Python that kbench takes when it runs, and is shipped without: LibTorch, and
// tvm-ffi's headers and library for candidates.
struct LibTorch {
  std::filesystem::path folder;  // has include/ and lib/
  std::string version;           // "2.15.0"; "" where its headers do not say
};

// `place` is a LibTorch, a torch package, the folder that holds one, or a virtual environment.
std::optional<LibTorch> libtorch_in(const std::filesystem::path& place);

// Looks where KBENCH_TORCH says, else at <prefix>/lib/kbench/torch (in a build folder a link to the
// one of the build), then in kbench's own prefix as an environment, then in the active one.
std::optional<LibTorch> find_libtorch();

// The minor versions that there is a <prefix>/lib/kbench/torch-<version>/kbench-torch.so for: the
// interfaces of C++ are others in each, and the same in all patches of one.
std::vector<std::string> torch_versions();

// Says why none of these fits the one that is found, and what to do; "" when one does. `given` is
// KBENCH_TORCH.
std::string libtorch_problem(const std::optional<LibTorch>& found,
                             const std::vector<std::string>& built_for, std::string_view given);

// The one that fits. Throws std::runtime_error, libtorch_problem().
std::filesystem::path torch_library(const std::optional<LibTorch>& found);

// The variables that LibTorch and its Python are found by.
constexpr const char* libtorch_variables[] = {"KBENCH_TORCH", "VIRTUAL_ENV", "CONDA_PREFIX",
                                              "PATH"};
// Variables of this process for the environment of kbench-torch: "NAME=value".
std::vector<std::string> libtorch_environment();

// The folder with include/ and lib/: the one that kbench was built with, or beside LibTorch.
std::optional<std::filesystem::path> find_tvm_ffi();

struct Python {
  std::filesystem::path program;
  std::filesystem::path headers;  // has Python.h; "" where they are not installed
  std::filesystem::path prefix;   // has its own modules, in lib/
};

// Python of the environment whose package LibTorch is; else the first of VIRTUAL_ENV's,
// CONDA_PREFIX's and those in PATH, of the minor version that the package is for.
std::optional<Python> find_python(const LibTorch& libtorch);

}  // namespace kbench
