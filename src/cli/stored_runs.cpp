#include "cli/stored_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/epochs.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "evaluate/record.hpp"
#include "measure/stored.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

using WorkloadKey = std::pair<std::string, std::string>;                      // definition and uuid
using Records = std::map<WorkloadKey, std::map<std::string, Stored<Trace>>>;  // by solution

// The last record of each stands.
Records read_records(const std::string& path, Diagnostics& out) {
  Records records;
  const std::size_t before = out.errors();
  for (const std::string& file : trace_files(path)) {
    int bad_line = 0;
    for (TraceLine& line : read_trace_lines({file, read_file(file)}, {}, bad_line, out)) {
      Trace& trace = line.trace;
      if (!trace.solution || !trace.evaluation) continue;
      const std::string solution = *trace.solution;
      records[{trace.definition, trace.workload.uuid}].insert_or_assign(
          solution, Stored<Trace>{std::move(trace), file, line.line});
    }
  }
  if (records.empty() && out.errors() == before)
    out.error({path, 0, 0, "", ""}, "holds no evaluated traces", "kbench run writes them");
  return records;
}

const Timing* timing_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->timing ? &*details->timing : nullptr;
}

const Basis* basis_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->basis ? &*details->basis : nullptr;
}

// Why the times of two machines would be compared; "": they are of one.
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

// What is wrong with a record whose samples are to be compared; "": nothing.
std::string defect(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  if (!details || !details->timing || details->timing->samples_ns.empty())
    return "it has no samples of kbench's";
  if (details->digest && *details->digest != record_digest(trace))
    return "it was changed after it was written: its digest is another";
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

// Why two records cannot be compared, whatever their samples are; "": they can.
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

bool have_passed(const Trace& a, const Trace& b) {
  return a.evaluation->status == Status::passed && b.evaluation->status == Status::passed;
}

// If not, that is reported.
bool can_compare(const Stored<Trace>& a, const Stored<Trace>& b, bool across_machines,
                 Diagnostics& out) {
  const std::size_t before = out.errors();
  const auto place = [](const Stored<Trace>& one) { return Where{one.path, one.line, 1, "", ""}; };
  for (const Stored<Trace>* one : {&a, &b}) {
    const std::string what = defect(one->record);
    if (!what.empty()) out.error(place(*one), "cannot be compared: " + what);
  }
  if (out.errors() > before) return false;
  const std::string machines = across_machines ? "" : machines_text(a, b);
  if (!machines.empty()) {
    out.error(place(b), machines, "--across-machines compares them all the same");
    return false;
  }
  const std::string why = obstacle(a.record, b.record);
  if (why.empty()) return true;
  out.error(place(b), fmt::format("cannot be compared with {}:{}: {}", a.path, a.line, why));
  return false;
}

// The quickest and the slowest; nothing of fewer times than that, and where one is none.
std::optional<Interval> range_of(const std::optional<std::vector<double>>& times_ns,
                                 std::size_t fewest) {
  if (!times_ns || times_ns->size() < fewest) return std::nullopt;
  const auto [low, high] = std::minmax_element(times_ns->begin(), times_ns->end());
  return *low > 0 ? std::optional(Interval{*low, *high}) : std::nullopt;
}

StoredSamples samples_of(const Timing& timing) {
  StoredSamples stored{timing.samples_ns, range_of(timing.control_ns, 1)};
  if (const auto loads = range_of(timing.loads_ns, 2))
    stored.between_loads = std::log(loads->high / loads->low);
  return stored;
}

struct Both {
  const Stored<Trace>* a;
  const Stored<Trace>* b;
};

std::vector<Both> pairs_of(const Records& old_records, const Records& new_records) {
  std::vector<Both> pairs;
  for (const auto& [key, olds] : old_records) {
    const auto news = new_records.find(key);
    const bool are_single =
        news != new_records.end() && olds.size() == 1 && news->second.size() == 1;
    for (const auto& [solution, record] : olds) {
      const Stored<Trace>* other = nullptr;
      if (are_single) other = &news->second.begin()->second;
      if (!are_single && news != new_records.end()) {
        const auto same = news->second.find(solution);
        if (same != news->second.end()) other = &same->second;
      }
      if (other != nullptr) pairs.push_back({&record, other});
    }
  }
  return pairs;
}

void warn_of_alone(const std::string& file, const Records& records, std::size_t paired,
                   Diagnostics& out) {
  std::size_t alone = 0;
  for (const auto& [key, of_workload] : records) alone += of_workload.size();
  alone -= paired;
  if (alone > 0)
    out.warning({file, 0, 0, "", ""},
                fmt::format("{} of it {} no counterpart in the other one", counted(alone, "record"),
                            alone == 1 ? "has" : "have"));
}

}  // namespace

ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out) {
  ComparisonReport report;
  report.a = old_file;
  report.b = new_file;
  report.rule = rule;
  report.is_stored = true;
  const Records old_records = read_records(old_file, out);
  const Records new_records = read_records(new_file, out);
  if (old_records.empty() || new_records.empty()) return report;
  const std::vector<Both> pairs = pairs_of(old_records, new_records);
  warn_of_alone(old_file, old_records, pairs.size(), out);
  warn_of_alone(new_file, new_records, pairs.size(), out);
  report.planned = pairs.size();
  const CompareRule of_one = rule.of_each(pairs.size());
  for (const auto& [a, b] : pairs) {
    ComparedWorkload row{a->record, b->record, std::nullopt, 0};
    if (have_passed(row.a, row.b)) {
      if (!can_compare(*a, *b, across_machines, out)) continue;
      row.compared =
          compare_stored(samples_of(*timing_of(row.a)), samples_of(*timing_of(row.b)), of_one);
    }
    report.workloads.push_back(std::move(row));
  }
  return report;
}

}  // namespace kbench
