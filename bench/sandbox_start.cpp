// What the levels of isolation add to starting and ending a process: milliseconds, median and 95th
// percentile of interleaved starts, and what that is beyond level C.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <vector>

#include "sandbox/isolation.hpp"
#include "sandbox/process.hpp"

namespace {

using namespace kbench;
using Clock = std::chrono::steady_clock;
constexpr std::array levels = {Isolation::namespaces, Isolation::landlock, Isolation::limits};

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double start_and_end(Isolation level) {
  ProcessPlan plan{{"/bin/true"}, {"LC_ALL=C"}, std::filesystem::temp_directory_path(), {}, -1, {}};
  plan.forbid_fork = true;
  plan.isolation = level;
  plan.files.readable = system_libraries();
  plan.files.readable.emplace_back("/bin/true");
  if (level == Isolation::namespaces) plan.files.private_bytes = 1 << 20;
  const auto begin = Clock::now();
  run_process(plan, std::chrono::seconds(10), 100);
  return milliseconds_since(begin);
}

double at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main() {
  std::array<std::vector<double>, levels.size()> times;
  for (int i = 0; i < 200; ++i) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (missing_for(levels[l]).empty()) times[l].push_back(start_and_end(levels[l]));
    }
  }
  for (auto& one : times) std::sort(one.begin(), one.end());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (times[l].empty()) {
      fmt::print("level {}: {}\n", letter(levels[l]), missing_for(levels[l]));
      continue;
    }
    const double median = at(times[l], 0.5);
    const double high = at(times[l], 0.95);
    fmt::print("level {}: median {:.2f} ms, p95 {:.2f} ms; beyond C: median {:.2f}, p95 {:.2f}\n",
               letter(levels[l]), median, high, median - at(times.back(), 0.5),
               high - at(times.back(), 0.95));
  }
}
