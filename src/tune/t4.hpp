// Writes a search in T4, the format that the auto-tuning community shares: schema T4 1.0.0, with
// the keys that Kernel Tuner 1.5.0 writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/configuration.hpp"

namespace kbench {

// What T4 knows of failures.
enum class T4Invalidity { correct, timeout, compile, runtime, correctness, constraints };
std::string_view t4_name(T4Invalidity invalidity);

// One configuration. All times in milliseconds; what was not taken is nothing, and written as 0.
struct T4Result {
  std::string timestamp;  // "2026-11-24 10:15:00+00:00"; "" is not written
  Configuration configuration;
  T4Invalidity invalidity = T4Invalidity::correct;
  std::optional<double> time;    // what the search compares; of one that failed nothing
  std::vector<double> runtimes;  // the samples behind it
  double compilation = 0;
  double benchmark = 0;
  double framework = 0;
  double search = 0;
  double validation = 0;
};

// What {"results": …} and {"metadata": …} hold; each ends with a newline.
std::string t4_results(std::span<const T4Result> results);

struct T4Metadata {
  std::string operating_system;           // "Linux"
  std::vector<std::string> hardware;      // a description a device: "x86_64, 2 cores"
  std::vector<std::string> requirements;  // "kbench==1.0"
};
std::string t4_metadata(const T4Metadata& metadata);

}  // namespace kbench
