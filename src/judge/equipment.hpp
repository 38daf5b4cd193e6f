// This machine: what records say of it, and what there is to work with, for kbench doctor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/cache.hpp"
#include "measure/machine/state.hpp"
#include "sandbox/isolation.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct Tool {
  std::string found;         // its place or version, or both; "": it is not there
  std::string problem = {};  // reason why it is not, where more is known than that
};

struct Equipment {
  Tool compiler, worker, google_worker, torch, python;
  Tool small_header, tvm_ffi, torch_headers;  // headers for candidates
  Tool cgroups, gpu;
  Tool nvcc, nvrtc, cupti, compute_sanitizer, ncu;
  Tool emulation;               // library that emulates CUDA
  Tool triton;                  // package in the Python of torch's environment
  std::string chosen_compiler;  // CXX
  std::string chosen_torch;     // KBENCH_TORCH
  Isolation isolation = Isolation::limits;
  std::string no_higher_isolation;              // reason why the level above cannot be had
  std::vector<std::string> namespace_settings;  // settings_for_namespaces()
  MachineState state;
  int cores = 1;
  std::filesystem::path build_folder, checkout;  // folders of a kbench that is not installed
  std::filesystem::path requirements;            // folder of requirements-torch.txt, if installed
  std::filesystem::path environment;             // virtual environment that a wheel is installed in
  bool has_apt = false;
  bool is_root = false;
};

// The program's own parts lie in `programs`. Versions of compilers and LibTorch are looked up in
// the caches first, and kept there.
Equipment find_equipment(const std::filesystem::path& programs, Cache& builds, Cache& answers);

// Reads the version of a C header that has PREFIX_MAJOR, PREFIX_MINOR and PREFIX_PATCH: "1.2.3"; ""
// for any other.
std::string header_version(std::string_view header, std::string_view prefix);

// The CPU's model name and kbench's version.
Environment describe_environment();

// Local time, ISO 8601 with microseconds and no zone, as FlashInfer-Bench writes it.
std::string timestamp_now();

std::string_view kbench_version();

}  // namespace kbench
