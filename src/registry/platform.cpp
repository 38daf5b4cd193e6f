#include "registry/platform.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr Platform table[] = {
    {"cpp", "cpu", true},      {"cuda", "gpu", true},      {"python", "any", true},
    {"triton", "gpu", true},   {"reference", "any", true}, {"tilelang", "gpu", false},
    {"cutedsl", "gpu", false}, {"cute", "gpu", false},     {"sycl", "gpu", false},
    {"pallas", "any", false},  {"xla", "any", false},
};

constexpr std::string_view devices[] = {"cpu", "gpu", "tpu", "mps", "any"};

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

std::span<const Platform> platforms() { return table; }

const Platform* find_platform(std::string_view name) {
  const std::string word = lower(name);
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Platform& row) { return row.name == word; });
  return found == std::end(table) ? nullptr : &*found;
}

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  for (const Platform& row : table) names.emplace_back(row.name);
  return names;
}

std::string text(const Backend& backend) {
  return backend.refinement.empty() ? backend.device : backend.device + ":" + backend.refinement;
}

std::optional<Backend> parse_backend(std::string_view text) {
  const std::string word = lower(text);
  const std::size_t colon = word.find(':');
  Backend backend{word.substr(0, colon), colon == std::string::npos ? "" : word.substr(colon + 1)};
  const bool is_known =
      std::find(std::begin(devices), std::end(devices), backend.device) != std::end(devices);
  const bool is_whole = colon == std::string::npos || !backend.refinement.empty();
  if (!is_known || !is_whole || (backend.is_any() && !backend.refinement.empty()))
    return std::nullopt;
  return backend;
}

std::vector<std::string> device_names() { return {std::begin(devices), std::end(devices)}; }

std::string cpu_feature(const std::string& refinement) {
  return refinement == "avx512" ? "avx512f" : refinement;
}

bool runs_on(const Backend& backend, const Host& host) {
  if (backend.is_any()) return true;
  if (backend.device == "cpu")
    return backend.refinement.empty() || has(host.cpu_features, cpu_feature(backend.refinement));
  if (backend.device != "gpu") return false;
  return backend.refinement.empty() ? !host.gpus.empty() : has(host.gpus, backend.refinement);
}

}  // namespace kbench
