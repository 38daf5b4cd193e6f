// Solution → a library on disk, one builder a language. The table is in builder.cpp.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cache.hpp"
#include "build/sanitizers.hpp"
#include "sandbox/isolation.hpp"
#include "schema/compiled.hpp"
#include "schema/solution.hpp"

namespace kbench {

// NVIDIA's programs on this machine: compiler and disassembler, which need no GPU, and the tools
// that solutions run under.
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

// What solutions in CUDA are compiled and linked with for the processor.
struct EmulationKit {
  std::filesystem::path headers;  // the folder that has cuda_runtime.h
  std::filesystem::path library;
};

// What compiling needs to know of this machine.
struct Toolchain {
  Cache* cache = nullptr;           // built solutions, by content
  std::filesystem::path libraries;  // of this run, where no eviction takes them
  std::filesystem::path compiler;   // for C++; "" where there is none
  std::string chosen_compiler;      // CXX: then it is that one or none
  CudaToolkit cuda;
  std::vector<std::string> architectures;  // that CUDA is built for; none: each solution's own
  std::string device;  // architecture of the GPU here, for solutions that name none; "": sm_90
  std::vector<std::filesystem::path> include_dirs;  // tvm-ffi, dlpack, kbench_ffi.h
  std::vector<std::filesystem::path>
      torch_include_dirs;                   // for binding torch; none: it is not there
  std::filesystem::path tvm_ffi_lib;        // folder of libtvm_ffi.so; "" if there is none
  double timeout_seconds = 300;             // of one build
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, builds end with Interrupted
  Isolation isolation = Isolation::limits;
  Sanitizers sanitizers = {};
  std::optional<EmulationKit> emulation = {};  // not nothing: CUDA is built for the processor
};

struct BuildResult {
  bool built = false;
  std::filesystem::path library;   // when built; hosted: the folder of what the host imports
  std::string symbol;              // for a kernel by itself: its name in the code
  std::string hosted;              // "file::function" where it runs in Python, else ""
  std::filesystem::path compiler;  // torch.compile's, of what it compiles; else ""
  bool from_cache = false;
  std::string log;                   // of the compiler
  std::string report;                // what is kept of it beside the log: a line of JSON, or ""
  std::optional<Compiled> compiled;  // what can be said of it unrun: of CUDA, when built
  std::string cause;                 // when not built: one line
  std::string not_emulated;          // why the emulation cannot judge it: then it has no verdict
};

struct Builder {
  Language language;
  std::string_view doc;
  // What this machine lacks for building, "" when it lacks nothing.
  std::string (*unavailable)(const Toolchain& toolchain);
  BuildResult (*build)(const Solution& solution, const Toolchain& toolchain);
  // See build_flags(); null where nothing is compiled.
  std::vector<std::string> (*flags)(const Solution& solution, const Toolchain& toolchain);
};

const Builder* find_builder(Language language);

// Why kbench cannot build or run this solution here ("" when it can): its language has no builder,
// or needs a device that is not there and not emulated. Such a solution gets no verdict.
std::string refusal(const Solution& solution, const Toolchain& toolchain);

// What this machine lacks for building it, "" when it lacks nothing.
std::string unavailable(const Solution& solution, const Toolchain& toolchain);

// Its driver is loaded, or KBENCH_CUDA_DRIVER names one.
bool has_nvidia_gpu();

// Where a GPU is it runs there: what is in CUDA or Triton, and what is in Python and names one as
// its target. Without one the last runs on the processor.
bool wants_gpu(const Solution& solution);

bool has_torch_binding(const Solution& solution);

// It is called in kbench-torch, not in kbench-worker.
bool runs_in_python(const Solution& solution);

// What the compilers call themselves: of C++ the first line of `--version`, of CUDA the release; ""
// of what says nothing. The cache remembers it.
std::string compiler_version(const Toolchain& toolchain);
std::string nvcc_version(const Toolchain& toolchain);
std::string nvrtc_version(const Toolchain& toolchain);

// The flags that a solution is compiled with, but for folders: kbench's own, then the solution's,
// then those of the sanitizers. Empty where nothing is compiled. Only these and the architectures
// count of the toolchain.
std::vector<std::string> build_flags(const Solution& solution, const Toolchain& toolchain);

// From the environment (CXX) and what is found on this machine; without a cache.
Toolchain system_toolchain();

// Candidates that run in Python: modules as they are, and extension modules with the torch binding.
std::string python_unavailable(const Toolchain& toolchain);
// Writes the sources to the folder of this run. That they are no Python is found when they are
// imported.
BuildResult build_python(const Solution& solution, const Toolchain& toolchain);

}  // namespace kbench
