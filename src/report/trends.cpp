// Formats that services for trends read: times of what passed, as they draw them over commits.
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/results.hpp"
#include "report/wording.hpp"

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

// Google Benchmark's JSON (docs/user_guide.md of that project, "Output Formats"), as its compare.py
// reads it: each sample of kbench's is a repetition, and its aggregates follow. kbench reads no CPU
// time: both times are wall time. Entries that Google Benchmark itself has written of a solution
// stand as it wrote them, under the name that kbench has for it.

namespace {

struct Named {
  const Trace& trace;
  std::string name;
};

Json entry(const Named& one, const char* run_type, std::size_t repetitions) {
  return {{"name", one.name},
          {"run_name", one.name},
          {"run_type", run_type},
          {"repetitions", repetitions},
          {"threads", 1}};
}

void add_time(Json& entry, double ns) {
  entry["real_time"] = ns;
  entry["cpu_time"] = ns;
  entry["time_unit"] = "ns";
}

void add_samples(Json& benchmarks, const Named& one, const Timing& timing) {
  const std::size_t count = timing.samples_ns.size();
  for (std::size_t i = 0; i < count; ++i) {
    Json sample = entry(one, "iteration", count);
    sample["repetition_index"] = i;
    sample["iterations"] = timing.calls_per_sample;
    add_time(sample, timing.samples_ns[i]);
    benchmarks.push_back(std::move(sample));
  }
  Json median = entry(one, "aggregate", count);
  median["name"] = one.name + "_median";
  median["aggregate_name"] = "median";
  median["aggregate_unit"] = "time";
  median["iterations"] = count;
  add_time(median, timing.median_ns);
  benchmarks.push_back(std::move(median));
}

const RawJson* own_report(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  if (!details || !details->timing || !details->timing->google_benchmark) return nullptr;
  return &*details->timing->google_benchmark;
}

// Copies what is there: nothing in it is sure to be, as the record may be somebody else's.
void add_own(Json& benchmarks, const Named& one, const RawJson& report) {
  const Json own = Json::parse(report.text);
  if (!own.contains("benchmarks")) return;
  for (Json entry : own["benchmarks"]) {
    if (!entry.is_object()) continue;
    const Json aggregate = entry.value("aggregate_name", Json());
    entry["run_name"] = one.name;
    entry["name"] = one.name;
    if (aggregate.is_string()) entry["name"] = one.name + "_" + aggregate.get<std::string>();
    benchmarks.push_back(std::move(entry));
  }
}

// Adds an entry without times, so that compare.py leaves it out.
void add_error(Json& benchmarks, const Named& one) {
  const Evaluation& evaluation = *one.trace.evaluation;
  Json failed = entry(one, "iteration", 1);
  failed["repetition_index"] = 0;
  failed["iterations"] = 0;
  failed["error_occurred"] = true;
  failed["error_message"] = status_name(evaluation.status);
  benchmarks.push_back(std::move(failed));
}

Json context_of(std::span<const Trace> traces) {
  for (const Trace& trace : traces) {
    if (const RawJson* own = own_report(trace))
      return Json::parse(own->text).value("context", Json::object());
  }
  Json context = {{"executable", "kbench"}, {"library_build_type", "release"}};
  if (traces.empty()) return context;
  const Evaluation& evaluation = *traces.front().evaluation;
  context["date"] = evaluation.timestamp;
  context["host_name"] = evaluation.environment.hardware;
  return context;
}

}  // namespace

std::string write_google_benchmark(std::span<const Trace> traces, const ReportOptions&) {
  Json out = {{"context", context_of(traces)}, {"benchmarks", Json::array()}};
  const Subjects subjects(traces);
  for (const Trace& trace : traces) {
    const Named one{trace, benchmark_name(trace, subjects)};
    const auto& details = trace.evaluation->kbench;
    const bool passed = trace.evaluation->status == Status::passed && details && details->timing;
    if (const RawJson* own = passed ? own_report(trace) : nullptr) {
      add_own(out["benchmarks"], one, *own);
    } else if (passed) {
      add_samples(out["benchmarks"], one, *details->timing);
    } else {
      add_error(out["benchmarks"], one);
    }
  }
  return out.dump(2) + "\n";
}

}  // namespace kbench
