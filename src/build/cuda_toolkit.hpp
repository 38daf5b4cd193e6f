// NVIDIA's compiler and disassembler on this machine. None of them needs a GPU.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

struct CudaToolkit {
  std::filesystem::path nvcc;  // "" where there is none
  std::string chosen_nvcc;     // CUDACXX: then it is that one or none
  std::filesystem::path nvdisasm;
};

// nvcc as CMake looks for it: CUDACXX, the path, CUDA_HOME, /usr/local/cuda; else the one that was
// installed beside kbench (make test: .venv). nvdisasm is that of nvcc, or of the same places.
CudaToolkit find_cuda_toolkit();

}  // namespace kbench
