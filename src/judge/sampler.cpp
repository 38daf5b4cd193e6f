#include "judge/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <variant>

#include "base/system.hpp"

namespace kbench {
bool is_sampler(const Trial& trial) {
  return std::any_of(trial.standards.begin(), trial.standards.end(), &is_drawn);
}

void SamplerTally::add(const Trial& trial, std::size_t set, std::span<const TensorView> outputs) {
  for (std::size_t i = 0; i < std::min(outputs.size(), trial.standards.size()); ++i) {
    if (is_drawn(trial.standards[i]))
      tallies_[i].add(outputs[i], std::get<Choice>(trial.standards[i]), set);
  }
}

std::size_t SamplerTally::draws() const {
  std::size_t draws = 0;
  for (const auto& [output, tally] : tallies_) draws += tally.draws();
  return draws;
}

std::string SamplerTally::wrong(std::span<const std::string> names) const {
  for (const auto& [output, tally] : tallies_) {
    const std::string wrong = tally.wrong();
    if (!wrong.empty()) return fmt::format("output \"{}\": {}", names[output], wrong);
  }
  return "";
}

std::optional<CandidateFailure> draw_again(CandidateProcess& process,
                                           const std::vector<Trial>& trials, SamplerTally& tally,
                                           const DrawEffort& effort) {
  using Clock = std::chrono::steady_clock;
  const Trial& trial = trials.back();
  const auto begin = Clock::now();
  for (int calls = 0; calls < effort.most; ++calls) {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    const double budget =
        tally.draws() < effort.enough ? effort.most_seconds : effort.budget_seconds;
    if (calls >= effort.least && spent.count() >= budget) break;
    if (auto failure = process.call(trial.inputs, fresh_secret())) return failure;
    if (auto failure = process.mismatch()) return failure;
    tally.add(trial, trials.size() - 1, process.outputs());
  }
  return std::nullopt;
}

}  // namespace kbench
