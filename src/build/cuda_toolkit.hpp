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
  std::filesystem::path nvrtc;  // libnvrtc; "" where there is none
  std::string chosen_nvrtc;     // KBENCH_NVRTC: then it is that one or none
};

// nvcc as CMake looks for it: CUDACXX, the path, CUDA_HOME, /usr/local/cuda; else the one that was
// installed beside kbench (make test: .venv). nvdisasm and
// NVRTC are those of nvcc, or of the same places; KBENCH_NVRTC names another NVRTC.
CudaToolkit find_cuda_toolkit();

}  // namespace kbench
