// What services for trends read: times of what passed, as they draw them over commits.
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/recorded_speedup.hpp"
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

// Bencher Metric Format (bencher.dev, "Bencher Metric Format"): nanoseconds, and the interval
// of the latency where there is one.
std::string write_bencher(std::span<const Trace> traces, const ReportOptions&) {
  Json out = Json::object();
  for_each_time(traces, [&](const std::string& name, const Timing& timing) {
    const auto [ns, interval] = recorded_latency(timing);
    Json latency = {{"value", ns}};
    if (interval) {
      latency["lower_value"] = interval->low;
      latency["upper_value"] = interval->high;
    }
    out[name]["latency"] = std::move(latency);
  });
  return out.dump(2) + "\n";
}

// The data of the tool "customSmallerIsBetter" (benchmark-action/github-action-benchmark).
std::string write_github_action_benchmark(std::span<const Trace> traces, const ReportOptions&) {
  Json out = Json::array();
  for_each_time(traces, [&](const std::string& name, const Timing& timing) {
    const auto [ns, interval] = recorded_latency(timing);
    Json one = {{"name", name}, {"unit", "ns"}, {"value", ns}};
    if (interval) one["range"] = "± " + Json(interval->half_width()).dump();
    out.push_back(std::move(one));
  });
  return out.dump(2) + "\n";
}

}  // namespace kbench
