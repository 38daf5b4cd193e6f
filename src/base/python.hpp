// The Python that references and candidates run in: one of an environment, never kbench's own.
#pragma once

#include <filesystem>
#include <optional>

#include "base/libtorch.hpp"

namespace kbench {

struct Python {
  std::filesystem::path program;
  std::filesystem::path headers;  // with Python.h; "" where they are not installed
  std::filesystem::path prefix;   // has its own modules, in lib/
};

// That of the environment whose package LibTorch is; else the first of VIRTUAL_ENV's,
// CONDA_PREFIX's and those in PATH, of the minor version that the package is for.
std::optional<Python> find_python(const LibTorch& libtorch);

}  // namespace kbench
