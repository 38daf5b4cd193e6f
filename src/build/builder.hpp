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
  std::string chosen_nvcc;     // CUDACXX: where set, nvcc is that one or none
  std::filesystem::path nvdisasm;
  std::filesystem::path compute_sanitizer;  // the program, not its script
  std::filesystem::path ncu;
  std::filesystem::path nvrtc;  // libnvrtc; "" where there is none
  std::string chosen_nvrtc;     // KBENCH_NVRTC: where set, nvrtc is that one or none
};

// Finds nvcc as CMake does: CUDACXX, the path, CUDA_HOME, /usr/local/cuda; else the one that was
// installed beside kbench (make test: .venv). nvdisasm and NVRTC are those of nvcc, or of the same
// places; KBENCH_NVRTC names another NVRTC.
CudaToolkit find_cuda_toolkit();

// Headers and library that solutions in CUDA are built with for the processor.
struct EmulationKit {
  std::filesystem::path headers;  // the folder that has cuda_runtime.h
  std::filesystem::path library;
};

// Facts about this machine that compiling needs.
struct Toolchain {
  Cache* cache = nullptr;           // built solutions, by content
  std::filesystem::path libraries;  // this run's, which no eviction takes
  std::filesystem::path compiler;   // the one for C++; "" where there is none
  std::string chosen_compiler;      // CXX: where set, compiler is that one or none
  CudaToolkit cuda;
  std::vector<std::string> architectures;  // targets of CUDA; none: each solution's own
  std::string device;  // architecture of the GPU here, for solutions that name none; "": sm_90
  std::vector<std::filesystem::path> include_dirs;  // tvm-ffi, dlpack, kbench_ffi.h
  std::vector<std::filesystem::path>
      torch_include_dirs;                   // headers of binding torch; none: it is not there
  std::filesystem::path tvm_ffi_lib;        // folder of libtvm_ffi.so; "" if there is none
  double timeout_seconds = 300;             // limit of one build
  const std::atomic<bool>* stop = nullptr;  // builds end with Interrupted when it becomes true
  Isolation isolation = Isolation::limits;
  Sanitizers sanitizers = {};
  std::optional<EmulationKit> emulation = {};  // the kit makes CUDA build for the processor
};

struct BuildResult {
  bool built = false;
  std::filesystem::path library;   // file, if built; hosted: the folder that the host imports
  std::string symbol;              // a kernel's name in the code, if it stands by itself
  std::string hosted;              // "file::function" where it runs in Python, else ""
  std::filesystem::path compiler;  // torch.compile's, for a reference it compiles; else ""
  bool from_cache = false;
  std::string log;                   // the compiler's output
  std::string report;                // a line of JSON kept beside the log, or ""
  std::optional<Compiled> compiled;  // facts known without a run, if CUDA and built
  std::string cause;                 // reason that it is not built: one line
  std::string not_emulated;          // reason that the emulation cannot judge it: it has no verdict
};

struct Builder {
  Language language;
  std::string_view doc;
  // Names what this machine lacks for building, "" when it lacks nothing.
  std::string (*unavailable)(const Toolchain& toolchain);
  BuildResult (*build)(const Solution& solution, const Toolchain& toolchain);
  // See build_flags(); null where nothing is compiled.
  std::vector<std::string> (*flags)(const Solution& solution, const Toolchain& toolchain);
};

const Builder* find_builder(Language language);

// Reason that kbench cannot build or run this solution here ("" when it can): its language has no
// builder, or needs a device that is not there and not emulated. Such a solution gets no verdict.
std::string refusal(const Solution& solution, const Toolchain& toolchain);

// Names what this machine lacks for building it, "" when it lacks nothing.
std::string unavailable(const Solution& solution, const Toolchain& toolchain);

// Tells whether a GPU's driver is loaded, or KBENCH_CUDA_DRIVER names one.
bool has_nvidia_gpu();

// Tells whether the solution runs on a GPU where there is one: those in CUDA or Triton do, and
// those in Python that name a GPU as their target, which else run on the processor.
bool wants_gpu(const Solution& solution);

bool has_torch_binding(const Solution& solution);

// Tells whether it is called in kbench-torch, not in kbench-worker.
bool runs_in_python(const Solution& solution);

// Versions in the compilers' words: the first line of `--version` for C++, the release for CUDA; ""
// where a compiler says nothing. The cache remembers them.
std::string compiler_version(const Toolchain& toolchain);
std::string nvcc_version(const Toolchain& toolchain);
std::string nvrtc_version(const Toolchain& toolchain);

// Returns the flags that a solution is compiled with, but for folders: kbench's own, then the
// solution's, then those of the sanitizers. Empty where nothing is compiled. The sanitizers and the
// architectures are all that counts of the toolchain.
std::vector<std::string> build_flags(const Solution& solution, const Toolchain& toolchain);

// Finds the tools of this machine, by the environment (CXX) and a search; without a cache.
Toolchain system_toolchain();

// Candidates that run in Python: modules as they are, and extension modules with the torch binding.
std::string python_unavailable(const Toolchain& toolchain);
// Writes the sources to the folder of this run. Errors in their Python show when they are imported.
BuildResult build_python(const Solution& solution, const Toolchain& toolchain);

}  // namespace kbench
