#include "kernels/registry/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "base/words.hpp"

namespace kbench {
namespace {

constexpr Platform platform_rows[] = {
    {"cpp", "cpu", true},      {"cuda", "gpu", true},      {"python", "any", true},
    {"triton", "gpu", true},   {"reference", "any", true}, {"tilelang", "gpu", false},
    {"cutedsl", "gpu", false}, {"cute", "gpu", false},     {"sycl", "gpu", false},
    {"pallas", "any", false},  {"xla", "any", false},
};

constexpr CpuFeature cpu_features[] = {
    {"sse4.2", "sse4_2", "sse4.2"},
    {"avx", "avx", "avx"},
    {"avx2", "avx2", "avx2"},
    {"fma", "fma", "fma"},
    {"f16c", "f16c", "f16c"},
    {"avx512", "avx512f", "avx512f"},
    {"avx512bw", "avx512bw", "avx512bw"},
    {"avx512vl", "avx512vl", "avx512vl"},
    {"avx512vnni", "avx512_vnni", "avx512vnni"},
    {"avx512bf16", "avx512_bf16", "avx512bf16"},
};

constexpr std::string_view platform_devices[] = {"cpu", "gpu", "tpu", "mps", "any"};

}  // namespace

std::span<const Platform> platforms() { return platform_rows; }

const Platform* find_platform(std::string_view name) {
  const std::string word = lower(name);
  const auto found = std::find_if(std::begin(platform_rows), std::end(platform_rows),
                                  [&](const Platform& row) { return row.name == word; });
  return found == std::end(platform_rows) ? nullptr : &*found;
}

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  for (const Platform& row : platform_rows) names.emplace_back(row.name);
  return names;
}

std::string text(const Backend& backend) {
  return backend.refinement.empty() ? backend.device : backend.device + ":" + backend.refinement;
}

namespace {

// Tells whether a word is "sm_90", "sm_90a".
bool is_gpu_architecture(std::string_view word) {
  if (!word.starts_with("sm_")) return false;
  word.remove_prefix(3);
  if (!word.empty() && 'a' <= word.back() && word.back() <= 'z') word.remove_suffix(1);
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return '0' <= c && c <= '9'; });
}

// Tells whether a backend is known. Devices other than CPU and GPU have no refinements.
bool is_good(const Backend& backend, bool is_refined) {
  const bool is_known = std::find(std::begin(platform_devices), std::end(platform_devices),
                                  backend.device) != std::end(platform_devices);
  if (!is_known || !is_refined) return is_known;
  if (backend.device == "cpu") return find_cpu_feature(backend.refinement) != nullptr;
  return backend.device == "gpu" && is_gpu_architecture(backend.refinement);
}

}  // namespace

std::optional<Backend> parse_backend(std::string_view text) {
  const std::string word = lower(text);
  const std::size_t colon = word.find(':');
  const bool is_refined = colon != std::string::npos;
  Backend backend{word.substr(0, colon), is_refined ? word.substr(colon + 1) : ""};
  return is_good(backend, is_refined) ? std::optional(std::move(backend)) : std::nullopt;
}

std::string backend_words() {
  const std::vector<std::string> names(std::begin(platform_devices), std::end(platform_devices));
  return fmt::format("{}, and what of it as in gpu:sm_90 or cpu:avx512 ({})", join(names, ", "),
                     join(cpu_feature_names(), ", "));
}

const CpuFeature* find_cpu_feature(std::string_view name) {
  const auto found = std::find_if(std::begin(cpu_features), std::end(cpu_features),
                                  [&](const CpuFeature& row) { return row.name == name; });
  return found == std::end(cpu_features) ? nullptr : &*found;
}

std::vector<std::string> cpu_feature_names() {
  std::vector<std::string> names;
  for (const CpuFeature& row : cpu_features) names.emplace_back(row.name);
  return names;
}

int refinement_order(const Backend& backend) {
  const std::string& word = backend.refinement;
  if (word.empty()) return 0;
  if (backend.device == "cpu")
    return 1 + static_cast<int>(find_cpu_feature(word) - std::begin(cpu_features));
  // Number of "sm_90a", then the letter behind it.
  const char* const end = word.data() + word.size();
  const char* const digits =
      std::find_if(word.data(), end, [](char c) { return '0' <= c && c <= '9'; });
  int number = 0;
  const auto [rest, failure] = std::from_chars(digits, end, number);
  return failure == std::errc() ? 1 + 2 * std::min(number, 10'000) + (rest != end ? 1 : 0) : 1;
}

bool runs_on(const Backend& backend, const Host& host) {
  if (backend.is_any()) return true;
  if (backend.device == "cpu")
    return backend.refinement.empty() ||
           has_word(host.cpu_features,
                    std::string(find_cpu_feature(backend.refinement)->linux_name));
  if (backend.device != "gpu") return false;
  return backend.refinement.empty() ? !host.gpus.empty() : has_word(host.gpus, backend.refinement);
}

std::string why_not_here(std::string_view platform, const Backend& backend,
                         const std::function<Host()>& host) {
  const Platform* const row = find_platform(platform);
  if (row != nullptr && !row->can_run) return fmt::format("kbench cannot run {}", row->name);
  const bool runs_anywhere = backend.is_any() || backend == Backend{"cpu", ""};
  return runs_anywhere || runs_on(backend, host())
             ? ""
             : fmt::format("this machine has no {}", text(backend));
}

}  // namespace kbench
