#include "report/results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "schema/detail_records.hpp"

namespace kbench {
namespace {

// Log of a time, nothing where there is none.
std::optional<Estimate> speed_of(const Estimate& ns) {
  return ns.value > 0 && std::isfinite(ns.value) ? std::optional(log_of(ns)) : std::nullopt;
}

Result result_of(const Trace& trace) {
  const Evaluation& evaluation = *trace.evaluation;
  Result result{&trace, trace.definition, trace.workload.uuid, *trace.solution,
                evaluation.environment.hardware};
  result.passed = evaluation.status == Status::passed;
  const auto& details = evaluation.kbench;
  if (details && details->basis) result.machine = details->basis->machine;
  if (details && details->timing) {
    result.speed = speed_of(recorded_latency(*details->timing));
  } else if (evaluation.performance) {
    result.speed = speed_of({evaluation.performance->latency_ms * 1e6, {}});
  }
  if (const auto speedup = recorded_speedup(evaluation); speedup && result.speed)
    result.speedup = log_of(*speedup);
  return result;
}

bool is_audited(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->trust == "audit";
}

// Counter of why nobody may go by it, however it was chosen; null where there is no such reason.
std::size_t* fault_of(const Trace& trace, const ResultFilter& filter, LeftOut& left_out) {
  if (const Doubt doubt = doubt_about(trace); doubt != Doubt::none) return &left_out.of(doubt);
  const bool tells_nothing = !filter.non_discriminating && !passing_trivially(trace).empty();
  return tells_nothing ? &left_out.non_discriminating : nullptr;
}

// Counter of why it does not count; null where it counts.
std::size_t* reason_against(const Trace& trace, const ResultFilter& filter, LeftOut& left_out) {
  const Evaluation& evaluation = *trace.evaluation;
  const auto& details = evaluation.kbench;
  if (details && details->settings && !details->settings->sanitize.empty())
    return &left_out.sanitized;
  if (!evaluation.environment.hardware.starts_with(filter.hardware)) return &left_out.hardware;
  if (evaluation.timestamp.compare(0, filter.since.size(), filter.since) < 0)
    return &left_out.since;
  const std::string rule = details ? details->rule : "flashinfer-bench";
  if (!filter.rule.empty() && rule != filter.rule) return &left_out.rule;
  if (!filter.plain && !is_audited(trace)) return &left_out.plain;
  return fault_of(trace, filter, left_out);
}

}  // namespace

Estimate operator-(const Estimate& a, const Estimate& b) {
  Estimate difference{a.value - b.value, {}};
  if (a.interval && b.interval) difference.interval = *a.interval - *b.interval;
  return difference;
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Interval fast_share(const std::vector<Estimate>& speedups, double p, std::size_t compared) {
  if (compared == 0) return {NAN, NAN};
  const double least = std::log(p * (1 - 1e-12));
  std::size_t surely = 0, perhaps = 0;
  for (const Estimate& speedup : speedups) {
    const Interval ends = speedup.interval.value_or(Interval{speedup.value, speedup.value});
    surely += ends.low >= least ? 1 : 0;
    perhaps += ends.high >= least ? 1 : 0;
  }
  return {share(surely, compared), share(perhaps, compared)};
}

std::string passing_trivially(const Trace& trace) {
  const bool has_some =
      trace.evaluation && trace.evaluation->kbench && trace.evaluation->kbench->non_discriminating;
  return has_some ? trivial_text(*trace.evaluation->kbench->non_discriminating) : "";
}

const Configuration* configuration_of(const Trace& trace) {
  const bool has_one = trace.evaluation && trace.evaluation->kbench &&
                       trace.evaluation->kbench->configuration.has_value();
  return has_one ? &trace.evaluation->kbench->configuration->values : nullptr;
}

// The begin of a SHA-256, for records of strangers, who choose their names: 32 digits of what two
// records of which one stands for both have in common.
NewestRecords::Key NewestRecords::key_of(const Trace& trace, const Configuration* values) {
  const auto& details = trace.evaluation->kbench;
  std::string text;
  for (const std::string_view part :
       {std::string_view(trace.definition), std::string_view(trace.workload.uuid),
        std::string_view(*trace.solution), std::string_view(trace.evaluation->environment.hardware),
        details && details->basis ? std::string_view(details->basis->machine) : ""})
    text.append(std::to_string(part.size())).append(" ").append(part);
  if (values != nullptr) text += configuration_text(*values);
  Key key;
  std::memcpy(key.data(), sha256_hex(text).data(), sizeof key);
  return key;
}

NewestRecords::Place NewestRecords::place_of(const Trace& trace, bool by_configuration) {
  ++count_;
  const Configuration* const values = by_configuration ? configuration_of(trace) : nullptr;
  const auto [place, is_new] = places_.try_emplace(key_of(trace, values), times_.size());
  if (is_new) times_.emplace_back();
  std::string& time = times_[place->second];
  const bool is_newest = time <= trace.evaluation->timestamp;
  if (is_newest) time = trace.evaluation->timestamp;
  return {place->second, is_newest};
}

std::vector<const Trace*> newest_of_each(std::span<const Trace* const> traces,
                                         bool by_configuration) {
  std::vector<const Trace*> newest;
  NewestRecords records;
  for (const Trace* trace : traces) {
    const auto place = records.place_of(*trace, by_configuration);
    if (place.index == newest.size()) newest.push_back(trace);
    if (place.is_newest) newest[place.index] = trace;
  }
  return newest;
}

std::string_view ResultCollector::kept(std::string_view text) {
  if (!found_.texts) found_.texts = std::make_shared<std::unordered_set<std::string>>();
  return *found_.texts->emplace(text).first;
}

void ResultCollector::take(const Trace& trace, bool stays) {
  if (std::size_t* const count = reason_against(trace, filter_, found_.left_out)) {
    ++*count;
    return;
  }
  const auto place = newest_.place_of(trace, filter_.by_configuration);
  if (!place.is_newest) return;
  Result result = result_of(trace);
  if (!stays) {
    result.trace = nullptr;
    for (std::string_view* const text : {&result.definition, &result.workload, &result.solution,
                                         &result.hardware, &result.machine})
      *text = kept(*text);
  }
  if (place.index == found_.results.size()) found_.results.emplace_back();
  found_.results[place.index] = std::move(result);
}

Results ResultCollector::finish() {
  found_.left_out.older = newest_.older();
  return std::move(found_);
}

Results select_results(std::span<const Trace* const> traces, const ResultFilter& filter) {
  ResultCollector collector(filter);
  for (const Trace* trace : traces) collector.take(*trace, true);
  return collector.finish();
}

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
