// NVIDIA's compiler of kernels as a library, opened when it runs. Source: "NVRTC" 13.
#pragma once

#include <string>
#include <vector>

namespace kbench::nvrtc {

// kbench-worker --nvrtc LIBRARY --version
// kbench-worker --nvrtc LIBRARY SOURCE KERNEL OUT ARCHITECTURE[,ARCHITECTURE]… [OPTION]…
//
// Compiles a CUDA source that has no code for the host; `words` begin with LIBRARY, which is
// libnvrtc. KERNEL is a C++ expression that names it, "scale<float>"; "" for none. OUT gets the
// code for each architecture (base/cubins.hpp); what the compiler says is printed, and after it
// the symbol of the kernel: "kernel SYMBOL". Returns the exit status.
int run(const std::vector<std::string>& words);

}  // namespace kbench::nvrtc
