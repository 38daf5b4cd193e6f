#include "evaluate/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <variant>

namespace kbench {
namespace {

const Choice* drawn(const Standard& standard) {
  const auto* choice = std::get_if<Choice>(&standard);
  if (choice == nullptr) return nullptr;
  const auto& rows = choice->chosen.rows;
  const bool any = std::any_of(rows.begin(), rows.end(), [](const ChoiceRow& row) {
    return row.kind == ChoiceKind::drawn;
  });
  return any ? choice : nullptr;
}

}  // namespace

bool is_sampler(const Trial& trial) {
  return std::any_of(trial.yardsticks.begin(), trial.yardsticks.end(),
                     [](const Standard& standard) { return drawn(standard) != nullptr; });
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
      if (const Choice* choice = drawn(trial.yardsticks[i])) tallies[i].add(outputs[i], *choice, 0);
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
