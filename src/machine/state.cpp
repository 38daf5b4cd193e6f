#include "machine/state.hpp"

#include <charconv>
#include <utility>

#include "base/file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::optional<double> first_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Intel's driver has a file of its own, which says the opposite.
std::optional<Boost> boost(const fs::path& root) {
  constexpr std::pair<const char*, const char*> files[] = {
      {"sys/devices/system/cpu/cpufreq/boost", "0"},
      {"sys/devices/system/cpu/intel_pstate/no_turbo", "1"}};
  for (const auto& [file, off] : files) {
    const std::string now = read_if_readable(root / file);
    if (!now.empty()) return Boost{now != off, (root / file).string(), off};
  }
  return std::nullopt;
}

}  // namespace

MachineState machine_state(const fs::path& root) {
  return {first_number(read_if_readable(root / "proc/loadavg")),
          read_if_readable(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          boost(root)};
}

}  // namespace kbench
