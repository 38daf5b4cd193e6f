// How a kernel is written, and where it runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// To add one: its row in platform.cpp. Source of the names that kbench cannot run: ejkernel's
// registry.
struct Platform {
  std::string_view name;     // "cpp"
  std::string_view backend;  // where it runs unless something else is said: "cpu", "gpu", "any"
  bool can_run = false;      // whether kbench has a builder or an evaluator for it
};
std::span<const Platform> platforms();
// Letters of either case.
const Platform* find_platform(std::string_view name);
std::vector<std::string> platform_names();

// "cpu", "gpu", "tpu", "mps" or "any", and what of it is needed: "gpu:sm_90", "cpu:avx512".
struct Backend {
  std::string device;
  std::string refinement;  // "" for all of them

  bool operator==(const Backend&) const = default;
  bool is_any() const { return device == "any"; }
};
std::string text(const Backend& backend);
// Letters of either case. Nothing for an unknown device, or one that is nowhere: gpu:sm90.
std::optional<Backend> parse_backend(std::string_view text);
// All of them, for a message.
std::string backend_words();

// What this machine has.
struct Host {
  std::vector<std::string> cpu_features;  // in Linux' words: "avx2", "avx512f"
  std::vector<std::string> gpus;          // "sm_90"
};

// A refinement of "cpu", and what others call it. To add one: its row in platform.cpp, behind those
// that need less.
struct CpuFeature {
  std::string_view name;        // "avx512"
  std::string_view linux_name;  // in /proc/cpuinfo: "avx512f"
  std::string_view gcc;         // of __builtin_cpu_supports: "avx512f"
};
const CpuFeature* find_cpu_feature(std::string_view name);
std::vector<std::string> cpu_feature_names();

// How much of its device a backend needs: 0 for any of them, more for avx512 than for avx2, and for
// sm_90a than for sm_90 than for sm_80.
int refinement_order(const Backend& backend);

// Whether what needs `backend` runs on `host`.
bool runs_on(const Backend& backend, const Host& host);

}  // namespace kbench
