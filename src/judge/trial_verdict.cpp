#include "judge/trial_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <variant>

#include "base/system.hpp"
#include "judge/output_check.hpp"

namespace kbench {
namespace {

// Joins what the rule has said of the other outputs and check() of its own.
void add_check(const Problem& problem, const Trial& trial, const std::vector<TensorView>& outputs,
               Verdict& verdict) {
  const Verdict checked = trial.check->judge(problem, trial.inputs, trial.reference, outputs);
  verdict.status = checked.status;
  verdict.detail = checked.detail;
  verdict.margin = std::max(verdict.margin.value_or(0), checked.margin.value_or(0));
}

// Tells whether what was not written is NaN.
bool has_nan(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.kind == DTypeKind::floating && (type.bits > 8 || type.poison[0] != 0);
}

// A wrong element of a byte without a NaN is the pattern by chance once in 256 times.
bool may_be_chance(DType dtype, std::uint64_t count, std::uint64_t elements) {
  const bool is_legal = info(dtype).bits <= 8 && !has_nan(dtype) && dtype != DType::boolean;
  return is_legal && count < elements / 16 + 8;
}

// A function that returns its results, in the place of writing them, is told why that is nothing.
constexpr std::string_view to_be_written =
    "; it is passed to be written to (\"destination_passing_style\")";

// Tells whether what was not written may be seen of an output that passed.
bool shows_in_what_passed(DType dtype, const Standard* standard) {
  if (dtype == DType::boolean) return true;
  return has_nan(dtype) && standard != nullptr && !std::holds_alternative<Anything>(*standard);
}

// The two NaN of float8_e4m3fn are everybody's: it has no others. A program's own has one at an
// element where the pattern is the other: all of a few may be alike by chance.
bool may_be_own_nan(const TensorView& view, std::uint64_t count, bool passed) {
  constexpr std::uint64_t few = 32;
  constexpr std::byte magnitude{0x7F};
  if (std::byte{info(view.dtype).poison[0]} != magnitude) return false;
  const auto is_nan = [](std::byte b) { return (b & magnitude) == magnitude; };
  const auto all = std::count_if(view.data, view.data + view.bytes, is_nan);
  return (passed && count < few) || count != static_cast<std::uint64_t>(all);
}

}  // namespace

Verdict trial_verdict(const VerdictRule& rule, const Problem& problem, const ResolvedConfig& config,
                      const Trial& trial, const std::vector<TensorView>& outputs) {
  const std::vector<std::string> names = output_names(problem);
  VerdictContext context = verdict_context(problem, names, config);
  context.standards = trial.standards;
  Verdict verdict = rule.judge(context, outputs, trial.reference.outputs);
  if (trial.check && verdict.status == Status::passed) add_check(problem, trial, outputs, verdict);
  if (trial.set == InputSet::random) return verdict;
  verdict.evidence.clear();
  if (!verdict.detail.empty())
    verdict.detail = fmt::format("edge-case inputs '{}': {}", set_name(trial.set), verdict.detail);
  return verdict;
}

std::string unwritten_cause(const PoisonedOutputs& memory, bool passed,
                            std::span<const Standard> standards) {
  for (std::size_t i = 0; i < memory.views().size(); ++i) {
    const TensorView& view = memory.views()[i];
    const Standard* const standard = i < standards.size() ? &standards[i] : nullptr;
    if (passed && !shows_in_what_passed(view.dtype, standard)) continue;
    const std::uint64_t elements = element_count(view.shape);
    const Unwritten left = memory.unwritten(i);
    if (left.count == 0 || may_be_chance(view.dtype, left.count, elements)) continue;
    if (may_be_own_nan(view, left.count, passed)) continue;
    return fmt::format(
        "UNWRITTEN: {} of {} elements of output \"{}\" were not written; first at {}{}", left.count,
        elements, memory.name(i), place_text(left.first, view.shape),
        left.count == elements ? to_be_written : "");
  }
  return "";
}

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
