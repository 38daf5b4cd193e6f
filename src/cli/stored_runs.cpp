#include "cli/stored_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "measure/stored.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

using WorkloadKey = std::pair<std::string, std::string>;                      // definition and uuid
using Records = std::map<WorkloadKey, std::map<std::string, Stored<Trace>>>;  // by solution

// The last record of each stands.
Records read_records(const std::string& file, Diagnostics& out) {
  Records records;
  int bad_line = 0;
  for (TraceLine& line : read_trace_lines({file, read_file(file)}, {}, bad_line, out)) {
    Trace& trace = line.trace;
    if (!trace.solution || !trace.evaluation) continue;
    const std::string solution = *trace.solution;
    records[{trace.definition, trace.workload.uuid}].insert_or_assign(
        solution, Stored<Trace>{std::move(trace), file, line.line});
  }
  if (records.empty() && out.errors() == 0)
    out.error({file, 0, 0, "", ""}, "holds no evaluated traces", "kbench run writes them");
  return records;
}

const Timing* timing_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->timing ? &*details->timing : nullptr;
}

std::string machine_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->basis ? details->basis->machine : "";
}

std::string engine_of(const Timing& timing) {
  if (!timing.engine) return "kbench";
  return *timing.engine == "google-benchmark" ? "Google Benchmark" : *timing.engine;
}

// Why two records cannot be compared, whatever their samples are; "": they can.
std::string obstacle(const Trace& a, const Trace& b) {
  const Timing* first = timing_of(a);
  const Timing* second = timing_of(b);
  if (first == nullptr || second == nullptr) return "it has no samples of kbench's";
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

StoredSamples samples_of(const Timing& timing) {
  StoredSamples stored{timing.samples_ns};
  if (timing.control_ns && !timing.control_ns->empty()) {
    const auto [low, high] =
        std::minmax_element(timing.control_ns->begin(), timing.control_ns->end());
    if (*low > 0) stored.control_ns = {*low, *high};
  }
  return stored;
}

struct Both {
  const Stored<Trace>* a;
  const Stored<Trace>* b;
};

std::vector<Both> pairs_of(const Records& old_records, const Records& new_records, Diagnostics& out,
                           const std::string& old_file) {
  std::vector<Both> pairs;
  std::size_t alone = 0;
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
      if (other == nullptr) {
        ++alone;
      } else {
        pairs.push_back({&record, other});
      }
    }
  }
  if (alone > 0)
    out.warning({old_file, 0, 0, "", ""},
                fmt::format("{} of it {} no counterpart in the other file",
                            counted(alone, "record"), alone == 1 ? "has" : "have"));
  return pairs;
}

}  // namespace

ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out) {
  ComparisonReport report;
  report.a = old_file;
  report.b = new_file;
  report.rule = rule;
  const Records old_records = read_records(old_file, out);
  const Records new_records = read_records(new_file, out);
  const std::vector<Both> pairs = pairs_of(old_records, new_records, out, old_file);
  const CompareRule of_one = rule.of_each(pairs.size());
  for (const auto& [a, b] : pairs) {
    const Where where{b->path, b->line, 1, "", ""};
    ComparedWorkload row{a->record, b->record, std::nullopt, 0};
    const bool are_right =
        row.a.evaluation->status == Status::passed && row.b.evaluation->status == Status::passed;
    if (are_right && !across_machines && machine_of(row.a) != machine_of(row.b)) {
      out.error(where,
                fmt::format("this was measured on another machine than {}:{}", a->path, a->line),
                "--across-machines compares them all the same");
      continue;
    }
    const std::string why = are_right ? obstacle(row.a, row.b) : "";
    if (!why.empty()) {
      out.error(where, fmt::format("cannot be compared with {}:{}: {}", a->path, a->line, why));
      continue;
    }
    if (are_right)
      row.compared =
          compare_stored(samples_of(*timing_of(row.a)), samples_of(*timing_of(row.b)), of_one);
    report.workloads.push_back(std::move(row));
  }
  return report;
}

}  // namespace kbench
