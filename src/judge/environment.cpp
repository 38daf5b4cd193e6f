#include "judge/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "measure/machine/identity.hpp"

namespace kbench {

Environment describe_environment() {
  Environment environment;
  environment.hardware = cpu_model();
  environment.libs["kbench"] = KBENCH_VERSION;
  return environment;
}

std::string_view kbench_version() { return KBENCH_VERSION; }

std::string timestamp_now() {
  const auto now = std::chrono::system_clock::now();
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(now)), micros);
}

}  // namespace kbench
