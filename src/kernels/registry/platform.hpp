// Platforms in which kernels are written, and backends on which they run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Language or framework of a kernel. A new one needs its row in platform.cpp. Source of the names
// that kbench cannot run: ejkernel's registry.
struct Platform {
  std::string_view name;     // "cpp"
  std::string_view backend;  // backend unless another is given: "cpu", "gpu", "any"
  bool can_run = false;      // kbench has a builder or an evaluator for it
};
std::span<const Platform> platforms();
// Finds a platform by its name, in letters of either case.
const Platform* find_platform(std::string_view name);
std::vector<std::string> platform_names();

// Device, "cpu", "gpu", "tpu", "mps" or "any", and its needed features: "gpu:sm_90", "cpu:avx512".
struct Backend {
  std::string device;
  std::string refinement;  // "" for all of them

  bool operator==(const Backend&) const = default;
  bool is_any() const { return device == "any"; }
};
std::string text(const Backend& backend);
// Reads letters of either case; nullopt for an unknown device, or one that is nowhere: gpu:sm90.
std::optional<Backend> parse_backend(std::string_view text);
// Lists all of them, for a message.
std::string backend_words();

// Features of this machine.
struct Host {
  std::vector<std::string> cpu_features;  // feature names of Linux: "avx2", "avx512f"
  std::vector<std::string> gpus;          // "sm_90"
};

// Refinement of "cpu", and its names elsewhere. A new one needs its row in platform.cpp, behind
// those that need less.
struct CpuFeature {
  std::string_view name;        // "avx512"
  std::string_view linux_name;  // name in /proc/cpuinfo: "avx512f"
  std::string_view gcc;         // name for __builtin_cpu_supports: "avx512f"
};
const CpuFeature* find_cpu_feature(std::string_view name);
std::vector<std::string> cpu_feature_names();

// Ranks backends by the features that they need: 0 for any of them, more for avx512 than for avx2,
// and for sm_90a than for sm_90 than for sm_80.
int refinement_order(const Backend& backend);

// Tells whether a kernel that needs `backend` runs on `host`.
bool runs_on(const Backend& backend, const Host& host);

// Says why a kernel does not run here; "" where it does. `host` is asked where it matters.
std::string why_not_here(std::string_view platform, const Backend& backend,
                         const std::function<Host()>& host);

}  // namespace kbench
