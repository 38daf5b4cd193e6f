#include "report/stored_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/epochs.hpp"
#include "base/text.hpp"
#include "measure/comparison.hpp"
#include "report/results.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

const Timing* timing_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->timing ? &*details->timing : nullptr;
}

const Basis* basis_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->basis ? &*details->basis : nullptr;
}

// Says why the times of two machines would be compared; "": they are of one.
std::string machines_text(const Stored<Trace>& a, const Stored<Trace>& b) {
  const Basis* first = basis_of(a.record);
  const Basis* second = basis_of(b.record);
  const std::string other = fmt::format("{}:{}", a.path, a.line);
  if (first == nullptr || second == nullptr || first->machine.empty() || second->machine.empty())
    return "whether this was measured on the same machine as " + other +
           " is not known: one of them does not say";
  if (first->machine != second->machine)
    return "this was measured on another machine than " + other;
  return "";
}

// Says what is wrong with a record whose samples are to be compared; "": nothing.
std::string defect(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  if (!details || !details->timing || details->timing->samples_ns.empty())
    return "it has no samples of kbench's";
  if (const Doubt doubt = doubt_about(trace); doubt != Doubt::none)
    return std::string(text_of(doubt));
  const auto& samples = details->timing->samples_ns;
  const bool are_times = std::all_of(samples.begin(), samples.end(),
                                     [](double ns) { return ns > 0 && ns < longest_sample_ns; });
  return are_times ? "" : "its samples are no times: they are to be positive";
}

std::string engine_of(const Timing& timing) {
  if (!timing.engine) return "kbench";
  return *timing.engine == "google-benchmark" ? "Google Benchmark" : *timing.engine;
}

// One uuid for two workloads, or a definition that was edited meanwhile.
bool is_another_problem(const Trace& a, const Trace& b) {
  const Basis* first = basis_of(a);
  const Basis* second = basis_of(b);
  if (first != nullptr && second != nullptr)
    return first->definition != second->definition || first->workload != second->workload;
  return a.workload.axes.items != b.workload.axes.items;
}

// Says why two records cannot be compared, whatever their samples are; "": they can.
std::string obstacle(const Trace& a, const Trace& b) {
  const Timing* first = timing_of(a);
  const Timing* second = timing_of(b);
  if (is_another_problem(a, b))
    return "the definition or the workload of that name was another one";
  if (first->serial.value_or(false) != second->serial.value_or(false))
    return "the calls of one were kept apart, those of the other were not";
  if (first->cache != second->cache)
    return fmt::format("one was timed {}, the other {}", first->cache, second->cache);
  if (first->engine != second->engine)
    return fmt::format("one was timed by {}, the other by {}", engine_of(*first),
                       engine_of(*second));
  if (first->clock != second->clock)
    return fmt::format("one was timed by the {}, the other by the {}", first->clock, second->clock);
  const auto& threads = first->threads;
  if (threads && second->threads && *threads != *second->threads)
    return fmt::format("one had {}, the other {}",
                       counted(static_cast<std::size_t>(*threads), "thread"),
                       counted(static_cast<std::size_t>(*second->threads), "thread"));
  return "";
}

// Range of times, quickest to slowest; nothing where there is none, or where one is no time.
std::optional<Interval> range_of(const std::optional<std::vector<double>>& times_ns) {
  if (!times_ns || times_ns->empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(times_ns->begin(), times_ns->end());
  return *low > 0 ? std::optional(Interval{*low, *high}) : std::nullopt;
}

StoredTime time_in(const Timing& timing) {
  const Estimate log_ns = log_of(recorded_latency(timing));
  const bool is_known = timing.latency_ns.value_or(0) > 0 && log_ns.interval;
  return {is_known ? log_ns : estimate_of_samples(timing.samples_ns), timing.samples_ns.size(),
          range_of(timing.control_ns)};
}

}  // namespace

std::vector<RecordPair> pairs_of(const RunRecords& old_records, const RunRecords& new_records) {
  std::vector<RecordPair> pairs;
  auto news = new_records.begin();
  for (const auto& [key, olds] : old_records) {
    while (news != new_records.end() && news->first < key) ++news;
    if (news == new_records.end() || news->first != key) continue;
    const bool are_single = olds.size() == 1 && news->second.size() == 1;
    for (const auto& [solution, record] : olds) {
      const auto other = are_single ? news->second.begin() : news->second.find(solution);
      if (other != news->second.end()) pairs.push_back({&record, &other->second});
    }
  }
  return pairs;
}

Diagnostics obstacles(const RecordPair& pair, bool across_machines) {
  Diagnostics out;
  const auto& [a, b] = pair;
  const auto place = [](const Stored<Trace>& one) { return Where{one.path, one.line, 1, "", ""}; };
  for (const Stored<Trace>* one : {a, b}) {
    const std::string what = defect(one->record);
    if (!what.empty()) out.error(place(*one), "cannot be compared: " + what);
  }
  if (out.errors() > 0) return out;
  const std::string machines = across_machines ? "" : machines_text(*a, *b);
  const std::string why = obstacle(a->record, b->record);
  if (!machines.empty()) {
    out.error(place(*b), machines, "--across-machines compares them all the same");
  } else if (!why.empty()) {
    out.error(place(*b), fmt::format("cannot be compared with {}:{}: {}", a->path, a->line, why));
  }
  return out;
}

Compared compare_times(const RecordPair& pair, const CompareRule& rule) {
  return compare_stored(time_in(*timing_of(pair.a->record)), time_in(*timing_of(pair.b->record)),
                        rule);
}

}  // namespace kbench
