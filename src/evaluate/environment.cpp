#include "evaluate/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

std::string cpu_model() {
  const auto info = read_file_if_there("/proc/cpuinfo");
  if (!info) return "unknown CPU";
  for (const std::string_view line : split(*info, '\n')) {
    const auto colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string_view::npos)
      return std::string(trim(line.substr(colon + 1)));
  }
  return "unknown CPU";
}

}  // namespace

Environment describe_environment() {
  Environment environment;
  environment.hardware = cpu_model();
  environment.libs["kbench"] = KBENCH_VERSION;
  return environment;
}

std::string machine_identity() {
  const auto installation = read_file_if_there("/etc/machine-id");
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}; {}; {}", cpu_model(), trim(installation.value_or("")), host.data());
}

std::string timestamp_now() {
  const auto now = std::chrono::system_clock::now();
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(now)), micros);
}

}  // namespace kbench
