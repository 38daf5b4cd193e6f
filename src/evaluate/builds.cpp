#include "evaluate/builds.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace kbench {
namespace {

BuildResult build_one(const Solution& solution, const Toolchain& toolchain) {
  try {
    return find_builder(solution.spec.language)->build(solution, toolchain);
  } catch (const std::exception& error) {  // the world is wrong: disk full, no rights
    BuildResult result;
    result.cause = std::string("kbench could not build it: ") + error.what();
    return result;
  }
}

}  // namespace

Builds build_all(const std::vector<Job>& jobs, const Toolchain& toolchain, int parallel) {
  Builds builds;
  for (const Job& job : jobs) {
    for (const Solution* solution : job.solutions) {
      if (builds.results.contains(solution) || builds.refused.contains(solution)) continue;
      std::string reason = refusal(*solution, toolchain);
      if (reason.empty()) {
        builds.results[solution];
      } else {
        builds.refused[solution] = std::move(reason);
      }
    }
  }
  std::vector<std::pair<const Solution*, BuildResult*>> work;
  for (auto& [solution, result] : builds.results) work.emplace_back(solution, &result);
  std::atomic<std::size_t> next{0};
  const auto worker = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++)
      *work[i].second = build_one(*work[i].first, toolchain);
  };
  std::vector<std::jthread> threads;
  const auto count =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(1, parallel)), work.size());
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(worker);
  return threads.clear(), builds;
}

}  // namespace kbench
