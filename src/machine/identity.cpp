#include "machine/identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

// The value of the first line of that name.
std::optional<std::string_view> find_line(std::string_view cpuinfo, std::string_view name) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (colon != line.npos && trim(line.substr(0, colon)) == name)
      return trim(line.substr(colon + 1));
  }
  return std::nullopt;
}

// Of many cores it takes milliseconds to write, so the kernel is asked once.
const std::string& cpuinfo() {
  static const std::string text = read_file_if_there("/proc/cpuinfo").value_or("");
  return text;
}

}  // namespace

std::string cpu_model() {
  return std::string(find_line(cpuinfo(), "model name").value_or("unknown CPU"));
}

std::vector<std::string> cpu_features(std::string_view text) {
  auto line = find_line(text, "flags");           // x86
  if (!line) line = find_line(text, "Features");  // Arm
  std::vector<std::string> features;
  for (const std::string_view word : split(line.value_or(""), ' '))
    if (!word.empty()) features.emplace_back(word);
  return features;
}

std::vector<std::string> cpu_features() { return cpu_features(cpuinfo()); }

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::string machine_identity() {
  const auto installation = read_file_if_there("/etc/machine-id");
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}; {}; {}", cpu_model(), trim(installation.value_or("")), host.data());
}

}  // namespace kbench
