// NVIDIA's programs on this machine: compiler and disassembler, which need no GPU, and the tools
// that solutions run under.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

struct CudaToolkit {
  std::filesystem::path nvcc;  // "" where there is none
  std::string chosen_nvcc;     // CUDACXX: then it is that one or none
  std::filesystem::path nvdisasm;
  std::filesystem::path compute_sanitizer;  // not the script that finds it
  std::filesystem::path ncu;
};

// nvcc as CMake looks for it: CUDACXX, the path, CUDA_HOME, /usr/local/cuda; else the one that was
// installed beside kbench (make test: .venv). nvdisasm is that of nvcc, or of the same places.
CudaToolkit find_cuda_toolkit();

}  // namespace kbench
