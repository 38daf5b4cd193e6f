#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/by_definition.hpp"
#include "report/gate.hpp"
#include "report/github.hpp"
#include "report/grid.hpp"
#include "report/junit_xml.hpp"
#include "report/ratio_text.hpp"
#include "report/workload_text.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

const char* colour_of(const GateRow& row) {
  if (row.consequence == Consequence::fail) return "\033[31m";
  return row.consequence == Consequence::warn ? "\033[33m" : "\033[32m";
}

// Of what has none: none, also where it failed.
GridCell time_cell(const Trace* trace) {
  if (trace == nullptr || !trace->evaluation || !trace->evaluation->performance) return {};
  const double ms = trace->evaluation->performance->latency_ms;
  return ms > 0 ? GridCell{ms, human_time(ms * 1e6)} : GridCell{};
}

void add_ratio(std::vector<GridCell>& cells, const std::optional<Compared>& compared) {
  if (!compared) {
    cells.insert(cells.end(), 3, GridCell{});
    return;
  }
  cells.push_back({std::exp(compared->log_ratio), ratio_text(compared->log_ratio)});
  if (!compared->interval) {
    cells.insert(cells.end(), 2, GridCell{});
    return;
  }
  cells.push_back({std::exp(compared->interval->low), ratio_text(compared->interval)});
  cells.push_back({std::exp(compared->interval->high)});
}

std::vector<GridCell> cells_of(const GateRow& row) {
  const Trace& trace = row.trace();
  std::vector<GridCell> cells = {{trace.definition},
                                 {trace.workload.uuid},
                                 {workload_text(trace.workload)},
                                 {trace.solution.value_or("")},
                                 {std::string(finding_name(row.finding)), "", colour_of(row)},
                                 {std::string(name_of(row.consequence))},
                                 time_cell(row.before),
                                 time_cell(row.after)};
  add_ratio(cells, row.compared);
  cells.push_back(row.why.empty() ? GridCell{} : GridCell{row.why, first_line(row.why)});
  return cells;
}

std::vector<Grid> grids_of(const GateReport& report, bool all) {
  std::vector<GateRow> rows;
  std::copy_if(report.rows.begin(), report.rows.end(), std::back_inserter(rows),
               [all](const GateRow& row) { return all || row.consequence != Consequence::ignore; });
  std::vector<Grid> grids;
  const auto definition_of = [](const GateRow& row) { return row.trace().definition; };
  for (const auto& [definition, own] : by_definition(rows, definition_of)) {
    Grid grid;
    grid.title = definition;
    grid.columns = {{"definition", "", Shown::never},
                    {"workload", "", Shown::never},
                    {"axes", "workload"},
                    {"solution"},
                    {"finding"},
                    {"consequence"},
                    {"before_ms", "before", Shown::where_any},
                    {"after_ms", "after", Shown::where_any},
                    {"ratio", "", Shown::where_any},
                    {"ratio_low", "interval", Shown::where_any},
                    {"ratio_high", "", Shown::never},
                    {"cause", "", Shown::where_any}};
    for (const GateRow* row : own) grid.rows.push_back(cells_of(*row));
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::string sentence_of(const GateRow& row) {
  std::string out(finding_name(row.finding));
  if (row.compared)
    out += fmt::format(": {} of its time before ({})", ratio_text(row.compared->log_ratio),
                       ratio_text(row.compared->interval, "not known"));
  return row.why.empty() ? out : out + ": " + row.why;
}

bool has_bad_verdict(const GateRow& row) {
  return row.consequence == Consequence::fail && row.after != nullptr && !has_passed(*row.after);
}

GithubAnnotation annotation_of(const GateRow& row, const FileOf& file_of) {
  const Trace& trace = row.trace();
  GithubAnnotation out;
  out.level = row.consequence == Consequence::fail ? "error" : "warning";
  out.title = fmt::format("{}: {}", finding_name(row.finding), *trace.solution);
  out.message = fmt::format("{} {}: {}", trace.definition, workload_text(trace.workload),
                            first_line(sentence_of(row)));
  if (file_of) out.file = file_of(*trace.solution, "");
  return out;
}

// Of what a solution got wrong as of any run: at the line that its compiler named.
std::string write_annotations(const GateReport& report, const FileOf& file_of) {
  std::vector<Trace> wrong;
  std::string rest;
  for (const GateRow& row : report.rows) {
    if (row.consequence == Consequence::ignore) continue;
    if (has_bad_verdict(row))
      wrong.push_back(*row.after);
    else
      rest += github_command(annotation_of(row, file_of));
  }
  std::string out;
  for (const GithubAnnotation& one : github_annotations(wrong, file_of)) out += github_command(one);
  return out + rest;
}

// What stops is a failure, where it comes from an error too: the verdict itself says which.
JUnitCase case_of(const GateRow& row) {
  const Trace& trace = row.trace();
  JUnitCase one;
  one.suite = trace.definition;
  one.name = trace.solution.value_or("") + " @ " + workload_text(trace.workload);
  if (trace.evaluation) {
    const auto& performance = trace.evaluation->performance;
    one.seconds = performance ? performance->latency_ms * 1e-3 : 0;
    one.timestamp = trace.evaluation->timestamp;
  }
  one.type = finding_name(row.finding);
  one.message = sentence_of(row);
  if (row.consequence == Consequence::fail)
    one.outcome = JUnitOutcome::failure;
  else if (row.consequence == Consequence::warn)
    one.outcome = JUnitOutcome::skipped;
  return one;
}

std::string write_cases(const GateReport& report) {
  std::vector<JUnitCase> cases;
  for (const GateRow& row : report.rows) cases.push_back(case_of(row));
  return write_junit_cases(cases);
}

std::string counts_text(const GateReport& report, Consequence consequence) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Finding::added); ++i) {
    const auto finding = static_cast<Finding>(i);
    const auto count =
        std::count_if(report.rows.begin(), report.rows.end(), [&](const GateRow& row) {
          return row.finding == finding && row.consequence == consequence;
        });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, finding_name(finding)));
  }
  return join(parts, ", ");
}

bool is_for_people(std::string_view format) { return format == "table" || format == "markdown"; }

}  // namespace

std::vector<std::string> gate_format_names() {
  std::vector<std::string> names = grid_format_names();
  names.insert(names.end(), {"junit", "github"});
  return names;
}

std::string gate_sentence(const GateReport& report) {
  const std::string stops = counts_text(report, Consequence::fail);
  const std::string warns = counts_text(report, Consequence::warn);
  const std::string rest = counts_text(report, Consequence::ignore);
  std::string out = stops.empty() ? "the gate is open" : "the gate is shut: " + stops;
  if (!warns.empty()) out += (stops.empty() ? ": " : "; ") + ("warned of " + warns);
  if (!rest.empty()) out += (stops.empty() && warns.empty() ? ": " : "; ") + rest;
  return out;
}

std::string write_gate(const GateReport& report, std::string_view format, bool all,
                       const ReportOptions& options) {
  if (format == "junit") return write_cases(report);
  if (format == "github") return write_annotations(report, options.file_of);
  const bool for_people = is_for_people(format);
  std::string out = write_grids(grids_of(report, all || !for_people), format, options);
  if (for_people) out += (out.empty() ? "" : "\n") + gate_sentence(report) + "\n";
  return out;
}

}  // namespace kbench
