#include "evaluate/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <variant>

namespace kbench {
bool is_sampler(const Trial& trial) {
  return std::any_of(trial.yardsticks.begin(), trial.yardsticks.end(), &is_drawn);
}

DrawResult draw_again(CandidateProcess& process, const Trial& trial,
                      std::span<const std::string> names,
                      const std::function<std::uint64_t()>& fresh_secret,
                      const DrawEffort& effort) {
  using Clock = std::chrono::steady_clock;
  DrawResult result;
  std::map<std::size_t, DrawTally> tallies;  // by output
  const auto begin = Clock::now();
  for (int calls = 0; calls < effort.most; ++calls) {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    if (calls >= effort.least && spent.count() >= effort.budget_seconds) break;
    result.failure = process.call(trial.inputs, fresh_secret());
    if (!result.failure) result.failure = process.mismatch();
    if (result.failure) return result;
    const std::vector<TensorView> outputs = process.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (is_drawn(trial.yardsticks[i]))
        tallies[i].add(outputs[i], std::get<Choice>(trial.yardsticks[i]), 0);
    }
  }
  for (const auto& [output, tally] : tallies) {
    result.draws += tally.draws();
    const std::string wrong = tally.wrong();
    if (result.wrong.empty() && !wrong.empty())
      result.wrong = fmt::format("output \"{}\": {}", names[output], wrong);
  }
  return result;
}

}  // namespace kbench
