#include "judge/derive/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "base/system.hpp"
#include "judge/judgement.hpp"
#include "judge/trial_verdict.hpp"

namespace kbench {
namespace {

using Failure = std::optional<CandidateFailure>;

// All ranks make the same number of calls, which meet in collectives.
Epochs same_epochs(const SamplingRule& rule, double call_ns) {
  constexpr std::uint32_t least = 7, most = 100;
  Epochs epochs;
  epochs.calls = static_cast<std::uint64_t>(
      std::clamp(rule.pace.epoch_ns / std::max(call_ns, 1.0), 1.0, 100'000.0));
  const double sample_ns = static_cast<double>(epochs.calls) * std::max(call_ns, 1.0);
  epochs.samples = static_cast<std::uint32_t>(std::clamp(
      rule.budget_ns / sample_ns, static_cast<double>(least), static_cast<double>(most)));
  epochs.warmups = 1;
  return epochs;
}

double slowest_ns(const std::vector<std::vector<double>>& samples) {
  std::vector<double> slowest(samples.front().size());
  for (const auto& of_rank : samples)
    for (std::size_t i = 0; i < std::min(slowest.size(), of_rank.size()); ++i)
      slowest[i] = std::max(slowest[i], of_rank[i]);
  return median_of(slowest);
}

Failure overrun(const PoisonedOutputs& outputs) {
  const int output = outputs.overrun();
  if (output < 0) return std::nullopt;
  return CandidateFailure{Status::runtime_error,
                          fmt::format("OUT_OF_BOUNDS: wrote beside output \"{}\"",
                                      outputs.name(static_cast<std::size_t>(output)))};
}

// One more call, as timed ones are, into outputs from which those before it are gone.
Failure prove(CandidateProcess& process, const PoisonedOutputs& outputs) {
  std::vector<double> ignored;
  if (auto failure = process.poison_outputs(fresh_secret())) return failure;
  if (auto failure = process.run_epochs({}, ignored)) return failure;
  if (auto failure = process.end_timing()) return failure;
  return overrun(outputs);
}

// Runs one rank after the other, each with the machine to itself.
Failure run_in_turn(const RankTask& task, std::size_t ranks, RankHub&) {
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (const auto failure = task(rank))
      return CandidateFailure{failure->status, fmt::format("rank {}: {}", rank, failure->cause)};
  }
  return std::nullopt;
}

// Runs all at once, a thread of the judge for each. A rank whose part is over leaves the hub, so
// that who waits for it learns that it never comes.
Failure run_at_once(const RankTask& task, std::size_t ranks, RankHub& hub) {
  std::vector<Failure> failures(ranks);
  std::vector<std::exception_ptr> broken(ranks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          failures[rank] = task(rank);
        } catch (...) {
          broken[rank] = std::current_exception();
        }
        hub.leave(static_cast<int>(rank));
      });
    }
  }
  for (const std::exception_ptr& one : broken)
    if (one) std::rethrow_exception(one);
  return explain_ranks(failures, hub.seats());
}

constexpr Transport transport_rows[] = {
    {"turn", "ranks one after the other, each with the whole machine; no collectives", false,
     &run_in_turn},
    {"processes", "ranks at once, a process each, with collectives over shared memory", true,
     &run_at_once},
};

}  // namespace

Ranks::Ranks(const CandidatePlan& plan, const Problem& local, const std::vector<Inputs>& inputs,
             const std::string& axis, const Transport& transport)
    : transport_(transport), hub_(std::make_unique<RankHub>(static_cast<int>(inputs.size()))) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Rank rank;
    rank.stage = SharedMemory("kbench stage", inputs[i].memory.size());
    rank.stage.seal_for_others();
    rank.outputs = std::make_unique<PoisonedOutputs>(local.outputs);
    ranks_.push_back(std::move(rank));
  }
  const int count = static_cast<int>(inputs.size());
  for (int i = 0; i < count; ++i) {
    CandidatePlan own = plan;
    own.rank = RankPlan{i, count, transport.at_once, axis, &hub_->memory()};
    Rank& rank = ranks_[static_cast<std::size_t>(i)];
    rank.process = std::make_unique<CandidateProcess>(
        own, local, inputs[static_cast<std::size_t>(i)], rank.stage, *rank.outputs);
  }
}

Failure Ranks::load() {
  hub_->open();
  return run_in_turn([this](std::size_t rank) { return ranks_[rank].process->load(); }, size(),
                     *hub_);
}

Failure Ranks::call(const std::vector<Inputs>& inputs) {
  hub_->open();
  const auto failure = run(
      [&](std::size_t rank) { return ranks_[rank].process->call(inputs[rank], fresh_secret()); });
  if (failure) return failure;
  return run_in_turn(
      [this](std::size_t i) -> Failure {
        const Rank& rank = ranks_[i];
        if (auto wrong = rank.process->mismatch()) return wrong;
        return overrun(*rank.outputs);
      },
      size(), *hub_);
}

Failure Ranks::time(const SamplingRule& rule, RankTimes& times) {
  times.ranks.assign(size(), {});
  hub_->open();
  return transport_.at_once ? time_at_once(rule, times) : time_in_turn(rule, times);
}

Failure Ranks::time_in_turn(const SamplingRule& rule, RankTimes& times) {
  return run([&](std::size_t rank) -> Failure {
    CandidateProcess& process = *ranks_[rank].process;
    if (auto failure = process.begin_timing(fresh_secret())) return failure;
    Failure failed;
    const auto epochs = [&](const Epochs& wanted) -> std::optional<std::vector<double>> {
      std::vector<double> samples;
      failed = process.run_epochs(wanted, samples);
      if (failed) return std::nullopt;
      return samples;
    };
    const auto sampled = take_samples(epochs, rule, &judges_clock_ns);
    if (!sampled) return failed;
    times.ranks[rank] = summarize(sampled->samples_ns);
    times.total_ns += times.ranks[rank].median;
    return prove(process, *ranks_[rank].outputs);
  });
}

Failure Ranks::time_at_once(const SamplingRule& rule, RankTimes& times) {
  std::vector<std::vector<double>> samples(size());
  const auto run_all = [&](const auto& step) {
    return run([&](std::size_t rank) { return step(*ranks_[rank].process, samples[rank]); });
  };
  const auto begin = [](CandidateProcess& process, std::vector<double>& own) -> Failure {
    if (auto failure = process.begin_timing(fresh_secret())) return failure;
    Epochs first;
    first.samples = 3;
    return process.run_epochs(first, own);
  };
  if (auto failure = run_all(begin)) return failure;
  const Epochs epochs = same_epochs(rule, slowest_ns(samples));
  hub_->reopen();
  const auto sample = [&](CandidateProcess& process, std::vector<double>& own) {
    return process.run_epochs(epochs, own);
  };
  if (auto failure = run_all(sample)) return failure;
  hub_->reopen();
  const auto end = [&](std::size_t rank) {
    return prove(*ranks_[rank].process, *ranks_[rank].outputs);
  };
  if (auto failure = run(end)) return failure;
  for (auto& of_rank : samples)
    for (double& ns : of_rank) ns /= static_cast<double>(epochs.calls);
  for (std::size_t rank = 0; rank < size(); ++rank) times.ranks[rank] = summarize(samples[rank]);
  times.total_ns = slowest_ns(samples);
  return std::nullopt;
}

RankOutputs Ranks::outputs() const {
  RankOutputs outputs;
  for (const Rank& rank : ranks_) outputs.push_back(rank.process->outputs());
  return outputs;
}

std::string Ranks::unwritten(bool passed, std::span<const Standard> standards) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string cause = unwritten_cause(*ranks_[i].outputs, passed, standards);
    if (!cause.empty()) return fmt::format("rank {}: {}", i, cause);
  }
  return "";
}

std::string Ranks::log() const {
  std::string out;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string printed = ranks_[i].process->log();
    if (!printed.empty()) out += fmt::format("[rank {}] {}\n", i, printed);
  }
  return out;
}

const Transport* find_transport(std::string_view name) {
  const auto found = std::find_if(std::begin(transport_rows), std::end(transport_rows),
                                  [name](const Transport& one) { return one.name == name; });
  return found == std::end(transport_rows) ? nullptr : found;
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport& one : transport_rows) names.emplace_back(one.name);
  return names;
}

}  // namespace kbench
