#include "cli/stored_runs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <future>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/names.hpp"
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

bool has_passed(const Trace& trace) { return trace.evaluation->status == Status::passed; }

}  // namespace

std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out) {
  if (!is_there(path)) {
    out.error({path, 0, 0, "", ""}, "no such file or folder",
              "a file of traces, a trace set, or what kbench run --out wrote");
    return std::nullopt;
  }
  RunRecords records;
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
