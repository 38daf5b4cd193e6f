#include "cli/compare/stored_runs.hpp"

#include <fmt/format.h>

#include <future>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "evaluate/replay.hpp"
#include "registry/checked_sidecar.hpp"
#include "report/results.hpp"
#include "schema/find_files.hpp"
#include "schema/record_origin.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

void warn_of_alone(const std::string& file, const RunRecords& records, std::size_t paired,
                   Diagnostics& out) {
  std::size_t alone = 0;
  for (const auto& [key, of_workload] : records) alone += of_workload.size();
  alone -= paired;
  if (alone > 0)
    out.warning({file, 0, 0, "", ""},
                fmt::format("{} of it {} no counterpart in the other one", counted(alone, "record"),
                            alone == 1 ? "has" : "have"));
}

std::vector<Stored<Trace>> read_evaluated(const std::string& path, const TraceSet* set,
                                          Diagnostics& out) {
  std::optional<RecordChecker> checker;
  if (set != nullptr) checker.emplace(*set, &solution_as_run);
  std::vector<Stored<Trace>> evaluated;
  for (const std::string& file : trace_files(path)) {
    read_trace_file(file, out, [&](TraceLine&& line) {
      if (!line.trace.solution || !line.trace.evaluation) return;
      warn_of_contradiction(line.trace, file, line.line, out);
      if (checker) line.trace.is_outdated = checker->is_outdated(line.trace);
      evaluated.push_back({std::move(line.trace), file, line.line});
    });
  }
  return evaluated;
}

// Keeps the newest record of each solution, workload and machine. Where several machines have one,
// keeps one that failed or was edited, else the last.
RunRecords newest_in(std::vector<Stored<Trace>> evaluated) {
  std::vector<const Trace*> traces;
  for (const auto& stored : evaluated) traces.push_back(&stored.record);
  const std::vector<const Trace*> kept = newest_of_each(traces);
  const std::unordered_set<const Trace*> newest(kept.begin(), kept.end());
  RunRecords records;
  for (auto& stored : evaluated) {
    const Trace& trace = stored.record;
    if (!newest.contains(&trace)) continue;
    auto& of_workload = records[{trace.definition, trace.workload.uuid}];
    const auto [known, is_new] = of_workload.try_emplace(*trace.solution);
    if (is_new ||
        (has_passed(known->second.record) && doubt_about(known->second.record) == Doubt::none))
      known->second = std::move(stored);
  }
  return records;
}

}  // namespace

std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out, const TraceSet* set) {
  if (!is_there(path)) {
    out.error({path, 0, 0, "", ""}, "no such file or folder",
              "a file of traces, a trace set, or what kbench run --out wrote");
    return std::nullopt;
  }
  const std::size_t before = out.errors();
  RunRecords records = newest_in(read_evaluated(path, set, out));
  if (!records.empty()) return records;
  if (out.errors() == before)
    out.error({path, 0, 0, "", ""}, "holds no evaluated traces", "kbench run writes them");
  return std::nullopt;
}

void compare_records(ComparisonReport& report, const RunRecords& old_run, const RunRecords& new_run,
                     bool across_machines, Diagnostics& out) {
  const std::vector<RecordPair> pairs = pairs_of(old_run, new_run);
  report.is_stored = true;
  report.planned = pairs.size();
  const CompareRule of_one = report.rule.of_each(pairs.size());
  for (const RecordPair& pair : pairs) {
    ComparedWorkload row{pair.a->record, pair.b->record, std::nullopt, 0};
    if (has_passed(row.a) && has_passed(row.b)) {
      const Diagnostics found = obstacles(pair, across_machines);
      out.append(found);
      if (found.errors() > 0) continue;
      row.compared = compare_times(pair, of_one);
    }
    report.workloads.push_back(std::move(row));
  }
}

ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out) {
  ComparisonReport report{old_file, new_file, rule};
  Diagnostics of_new;
  auto reading =  // beside the other: both may be large
      std::async(std::launch::async, [&] { return read_run(new_file, of_new); });
  const auto old_run = read_run(old_file, out);
  const auto new_run = reading.get();
  out.append(of_new);
  if (!old_run || !new_run) return report;
  compare_records(report, *old_run, *new_run, across_machines, out);
  warn_of_alone(old_file, *old_run, report.planned, out);
  warn_of_alone(new_file, *new_run, report.planned, out);
  return report;
}

}  // namespace kbench
