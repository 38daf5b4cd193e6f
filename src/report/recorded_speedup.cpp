#include "report/recorded_speedup.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::string_view not_asked = "--no-profile-baseline";

const SpeedupRecord* record_of(const std::optional<Evaluation>& evaluation) {
  if (!evaluation || evaluation->status != Status::passed) return nullptr;
  const auto& details = evaluation->kbench;
  if (!details || !details->timing || !details->timing->speedup) return nullptr;
  return &*details->timing->speedup;
}

// Returns the interval that a record holds the ends of.
std::optional<Interval> interval_of(const std::optional<std::vector<double>>& ends) {
  const bool is_one = ends && ends->size() == 2;
  return is_one ? std::optional(Interval{ends->front(), ends->back()}) : std::nullopt;
}

}  // namespace

std::optional<Estimate> recorded_speedup(const Evaluation& evaluation) {
  if (evaluation.kbench) {
    const auto& timing = evaluation.kbench->timing;
    if (!timing || !timing->speedup || !(timing->speedup->ratio.value_or(0) > 0))
      return std::nullopt;
    return Estimate{*timing->speedup->ratio, interval_of(timing->speedup->interval)};
  }
  if (!evaluation.performance || !(evaluation.performance->speedup_factor > 0)) return std::nullopt;
  return Estimate{evaluation.performance->speedup_factor, {}};
}

Estimate recorded_latency(const Timing& timing) {
  return {timing.latency_ns.value_or(timing.median_ns),
          interval_of(timing.latency_ns ? timing.latency_interval_ns : timing.interval_ns)};
}

Estimate log_of(const Estimate& estimate) {
  const bool has_logs = estimate.interval && estimate.interval->low > 0;
  return {std::log(estimate.value), rescaled(has_logs ? estimate.interval : std::nullopt,
                                             [](double end) { return std::log(end); })};
}

double reference_ns(const Evaluation& evaluation) {
  if (evaluation.kbench && evaluation.kbench->timing) {
    const Timing& timing = *evaluation.kbench->timing;
    if (timing.reference_latency_ns) return *timing.reference_latency_ns;
    if (timing.reference_median_ns) return *timing.reference_median_ns;
  }
  return evaluation.performance ? evaluation.performance->reference_latency_ms * 1e6 : 0;
}

std::string why_no_speedup(const Evaluation& evaluation) {
  const SpeedupRecord* const record = record_of(evaluation);
  if (record == nullptr || !record->absent || *record->absent == not_asked) return "";
  return *record->absent;
}

std::string missing_speedups(std::span<const Trace> traces) {
  std::map<std::string, std::size_t> reasons;
  std::size_t count = 0, all = 0;
  for (const Trace& trace : traces) {
    const SpeedupRecord* const record = record_of(trace.evaluation);
    if (record == nullptr || record->absent == not_asked) continue;
    ++all;
    if (!record->absent) continue;
    ++count;
    ++reasons[*record->absent];
  }
  if (count == 0) return "";
  std::vector<std::string> texts;
  for (const auto& [reason, rows] : reasons)
    texts.push_back(reason +
                    (reasons.size() > 1 ? fmt::format(" ({})", counted(rows, "row")) : ""));
  return fmt::format("{} of {} without a speed-up: {}", count, counted(all, "row"),
                     join(texts, "; "));
}

std::string timed_beside(std::span<const Trace> traces) {
  std::map<std::string, std::size_t> kinds;
  for (const Trace& trace : traces) {
    const SpeedupRecord* const record = record_of(trace.evaluation);
    if (record == nullptr || !record->ratio) continue;
    ++kinds[fmt::format("in {} with {}", record->evaluator == "python" ? "Python" : "LibTorch",
                        counted(static_cast<std::size_t>(record->threads), "thread"))];
  }
  std::vector<std::string> texts;
  for (const auto& [kind, count] : kinds)
    texts.push_back(kinds.size() == 1 ? kind : fmt::format("{} ({})", kind, counted(count, "row")));
  return texts.empty() ? "" : "the reference was timed " + join(texts, ", ");
}

}  // namespace kbench
