// Costs of the levels of isolation in starting and ending a process: milliseconds, median and 95th
// percentile of interleaved starts, and what that is beyond level C. Level A is also timed in a
// cgroup, as workers are, where there are any.
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
struct Kind {
  Isolation level;
  bool in_group;
};
constexpr std::array kinds = {Kind{Isolation::namespaces, true}, Kind{Isolation::namespaces, false},
                              Kind{Isolation::landlock, false}, Kind{Isolation::limits, false}};

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double start_and_end(const Kind& kind) {
  ProcessPlan plan{{"/bin/true"}, {"LC_ALL=C"}, std::filesystem::temp_directory_path(), {}, -1, {}};
  plan.forbid_fork = true;
  plan.isolation = kind.level;
  plan.files.readable = system_libraries();
  plan.files.readable.emplace_back("/bin/true");
  if (kind.level == Isolation::namespaces) plan.files.private_bytes = 1 << 20;
  const auto begin = Clock::now();
  if (kind.in_group) plan.group = take_cgroup({std::uint64_t{1} << 30, 64});
  run_process(plan, std::chrono::seconds(10), 100);
  return milliseconds_since(begin);
}

double at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main() {
  std::array<std::vector<double>, kinds.size()> times;
  for (int i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k].in_group && cgroups_here() == nullptr) continue;
      if (missing_for(kinds[k].level).empty()) times[k].push_back(start_and_end(kinds[k]));
    }
  }
  for (auto& one : times) std::sort(one.begin(), one.end());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto name =
        fmt::format("{}{}", letter(kinds[k].level), kinds[k].in_group ? " in a cgroup" : "");
    if (times[k].empty()) {
      const std::string& why = missing_for(kinds[k].level);
      fmt::print("level {}: {}\n", name, why.empty() ? why_no_cgroups() : why);
      continue;
    }
    const double median = at(times[k], 0.5);
    const double high = at(times[k], 0.95);
    fmt::print("level {}: median {:.2f} ms, p95 {:.2f} ms; beyond C: median {:.2f}, p95 {:.2f}\n",
               name, median, high, median - at(times.back(), 0.5), high - at(times.back(), 0.95));
  }
}
