#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "report/gate.hpp"
#include "report/github.hpp"
#include "report/tables.hpp"
#include "report/wording.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

const char* colour_of(const GateRow& row) {
  if (row.consequence == Consequence::fail) return "\033[31m";
  return row.consequence == Consequence::warn ? "\033[33m" : "\033[32m";
}

// Returns a trace's latency; 0 where it has none, or failed.
double milliseconds_of(const Trace* trace) {
  if (trace == nullptr || !trace->evaluation || !trace->evaluation->performance) return 0;
  return trace->evaluation->performance->latency_ms;
}

// Milliseconds by a ratio of turns where there is one: medians of all samples may contradict it.
double milliseconds_after(const GateRow& row) {
  const double before = milliseconds_of(row.before);
  const bool is_by_ratio = row.is_in_turn && row.compared && before > 0;
  return is_by_ratio ? before * std::exp(row.compared->log_ratio) : milliseconds_of(row.after);
}

void add_ratio(std::vector<GridCell>& cells, const std::optional<Compared>& compared) {
  const auto interval = compared ? compared->interval : std::nullopt;
  cells.push_back(compared
                      ? GridCell{std::exp(compared->log_ratio), ratio_text(compared->log_ratio)}
                      : GridCell{});
  add_ends(cells, exp_of(interval), ratio_text(interval, ""));
}

std::vector<GridCell> cells_of(const GateRow& row) {
  const Trace& trace = row.trace();
  std::vector<GridCell> cells = {{trace.definition},
                                 {trace.workload.uuid},
                                 {workload_text(trace.workload)},
                                 {trace.solution.value_or("")},
                                 {std::string(finding_name(row.finding)), "", colour_of(row)},
                                 {std::string(name_of(row.consequence))},
                                 time_cell(milliseconds_of(row.before)),
                                 time_cell(milliseconds_after(row))};
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
    out +=
        fmt::format(": takes {} times as long as before ({})", ratio_text(row.compared->log_ratio),
                    ratio_text(row.compared->interval, "not known"));
  return row.why.empty() ? out : out + ": " + row.why;
}

bool has_bad_verdict(const GateRow& row) {
  return row.consequence == Consequence::fail && row.after != nullptr && !has_passed(*row.after);
}

std::string_view advice_on(GateFinding finding) {
  switch (finding) {
    case GateFinding::missing:
      return "; it was judged before, and where that is meant, missing: warn in the policy says so";
    case GateFinding::undecided:
      return "; noise hides whether it is slower";
    case GateFinding::vacuous:
      return "; where that is meant, non_discriminating: warn in the policy says so";
    default:
      return "";
  }
}

// Makes the annotation of one finding on the workloads of a solution.
GithubAnnotation annotation_of(const std::vector<const GateRow*>& rows, const FileOf& file_of) {
  constexpr std::size_t most_named = 3;
  const GateRow& first = *rows.front();
  const Trace& trace = first.trace();
  GithubAnnotation out;
  out.level = first.consequence == Consequence::fail ? "error" : "warning";
  out.title = fmt::format("{}: {}", finding_name(first.finding), *trace.solution);
  std::vector<std::string> parts;
  for (const GateRow* row : rows) {
    if (parts.size() == most_named) break;
    parts.push_back(workload_text(row->trace().workload) + ": " + first_line(sentence_of(*row)));
  }
  out.message = trace.definition + " " + join(parts, "; ");
  if (rows.size() > most_named)
    out.message += fmt::format("; and {} more", counted(rows.size() - most_named, "workload"));
  out.message += advice_on(first.finding);
  if (file_of) out.file = file_of(*trace.solution, "");
  return out;
}

// Returns annotations; a solution's mistakes are annotated as in any run, at the line that its
// compiler named.
std::vector<GithubAnnotation> annotations_of(const GateReport& report, const FileOf& file_of) {
  std::vector<Trace> wrong;
  using Key = std::tuple<std::string, std::string, GateFinding, Consequence>;
  std::map<Key, std::vector<const GateRow*>> rest;
  for (const GateRow& row : report.rows) {
    if (row.consequence == Consequence::ignore) continue;
    const Trace& trace = row.trace();
    if (has_bad_verdict(row))
      wrong.push_back(*row.after);
    else
      rest[{trace.definition, *trace.solution, row.finding, row.consequence}].push_back(&row);
  }
  std::vector<GithubAnnotation> out = github_annotations(wrong, file_of);
  for (const auto& [key, rows] : rest) out.push_back(annotation_of(rows, file_of));
  return out;
}

// A row that stops is a failure, even one from an error: the verdict itself says which.
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

std::string counts_text(const GateReport& report, Consequence consequence) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(GateFinding::vacuous); ++i) {
    const auto finding = static_cast<GateFinding>(i);
    const auto count =
        std::count_if(report.rows.begin(), report.rows.end(), [&](const GateRow& row) {
          return row.finding == finding && row.consequence == consequence;
        });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, finding_name(finding)));
  }
  return join(parts, ", ");
}

}  // namespace

std::string gate_sentence(const GateReport& report) {
  std::string stops = counts_text(report, Consequence::fail);
  if (!report.problems.empty())
    stops = counted(report.problems.size(), "error") + " in what there was to judge" +
            (stops.empty() ? "" : ", " + stops);
  if (!report.doubts.empty()) stops += (stops.empty() ? "" : ", ") + join(report.doubts, ", ");
  const std::string warns = counts_text(report, Consequence::warn);
  const std::string rest = counts_text(report, Consequence::ignore);
  std::string out = stops.empty() ? "the gate is open" : "the gate is shut: " + stops;
  if (!warns.empty()) out += (stops.empty() ? ": " : "; ") + ("warned of " + warns);
  if (!rest.empty()) out += (stops.empty() && warns.empty() ? ": " : "; ") + rest;
  return out;
}

Document gate_document(const GateReport& report, bool all, const FileOf& file_of) {
  Document document{.grids = grids_of(report, all),
                    .notes = gate_sentence(report) + "\n",
                    .problems = report.problems,
                    .annotations = annotations_of(report, file_of)};
  for (const GateRow& row : report.rows) document.cases.push_back(case_of(row));
  return document;
}

}  // namespace kbench
