// What services for trends read: times of what passed, as they draw them over commits.
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/subjects.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

const Timing* time_of_passed(const Trace& trace) {
  const Evaluation& evaluation = *trace.evaluation;
  const bool passed = evaluation.status == Status::passed && evaluation.kbench;
  return passed && evaluation.kbench->timing ? &*evaluation.kbench->timing : nullptr;
}

// Calls what(name, timing) for each record that has a time.
template <class Function>
void for_each_time(std::span<const Trace> traces, const Function& what) {
  const Subjects subjects(traces);
  for (const Trace& trace : traces)
    if (const Timing* const timing = time_of_passed(trace))
      what(benchmark_name(trace, subjects), *timing);
}

}  // namespace

// Bencher Metric Format (bencher.dev, "Bencher Metric Format"): nanoseconds, and the 95 % interval
// of the median where there is one.
std::string write_bencher(std::span<const Trace> traces, const ReportOptions&) {
  Json out = Json::object();
  for_each_time(traces, [&](const std::string& name, const Timing& timing) {
    Json latency = {{"value", timing.median_ns}};
    if (timing.interval_ns && timing.interval_ns->size() == 2) {
      latency["lower_value"] = timing.interval_ns->front();
      latency["upper_value"] = timing.interval_ns->back();
    }
    out[name]["latency"] = std::move(latency);
  });
  return out.dump(2) + "\n";
}

// The data of the tool "customSmallerIsBetter" (benchmark-action/github-action-benchmark).
std::string write_github_action_benchmark(std::span<const Trace> traces, const ReportOptions&) {
  Json out = Json::array();
  for_each_time(traces, [&](const std::string& name, const Timing& timing) {
    Json one = {{"name", name}, {"unit", "ns"}, {"value", timing.median_ns}};
    if (timing.interval_ns && timing.interval_ns->size() == 2) {
      const double half = (timing.interval_ns->back() - timing.interval_ns->front()) / 2;
      one["range"] = "± " + Json(half).dump();
    }
    out.push_back(std::move(one));
  });
  return out.dump(2) + "\n";
}

}  // namespace kbench
