// NVIDIA's compiler of kernels as a library, opened when it runs. Source: "NVRTC" 13.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kbench::nvrtc {

struct Program;

// Its entry points that are called; each but the second returns 0 or an error's number.
struct Library {
  int (*version)(int*, int*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*create)(Program**, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*add_name)(Program*, const char*) = nullptr;
  int (*compile)(Program*, int, const char* const*) = nullptr;
  int (*lowered_name)(Program*, const char*, const char**) = nullptr;
  int (*log_size)(Program*, std::size_t*) = nullptr;
  int (*log)(Program*, char*) = nullptr;
  int (*code_size)(Program*, std::size_t*) = nullptr;
  int (*code)(Program*, char*) = nullptr;
};

// Throws std::runtime_error where it cannot be loaded or lacks an entry point.
Library open_library(const std::string& path);

struct Compiled {
  bool is_good = false;
  std::string error;   // its name, where it is not
  std::string log;     // of the compiler and of ptxas
  std::string symbol;  // of the kernel in the code
  std::string code;    // a cubin
};

// `kernel` is a C++ expression that names it, "scale<float>"; "" for none.
Compiled compile(const Library& library, const std::string& text, const std::string& name,
                 const std::string& kernel, const std::vector<std::string>& options);

}  // namespace kbench::nvrtc
