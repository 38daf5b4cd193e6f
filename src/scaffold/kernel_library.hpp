// What kbench new kernels makes: a kernel library in ExecuTorch's form, and a program that calls
// it.
#pragma once

#include <string>
#include <vector>

#include "scaffold/new_file.hpp"

namespace kbench {

// `name` is an identifier of C++: the folder of the files, the namespace of operator and kernel,
// and the library's target in CMake.
std::vector<NewFile> kernel_library_files(const std::string& name);

}  // namespace kbench
