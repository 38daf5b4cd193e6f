#include "report/trace_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "report/format.hpp"
#include "report/results.hpp"
#include "report/tables.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

const std::vector<GridColumn>& trace_columns() {
  static const std::vector<GridColumn> all = {
      {"definition", "", Shown::never},
      {"workload", "", Shown::never},
      {"axes", "workload"},
      {"solution"},
      {"status", "", Shown::always, GivesWay::never},
      {"margin", "of limit", Shown::always, GivesWay::wholly},
      {"max_absolute_error", "max error", Shown::always, GivesWay::wholly},
      {"max_relative_error", "", Shown::never},
      {"latency_ms", "latency"},
      {"latency_low_ms", "", Shown::never},
      {"latency_high_ms", "", Shown::never},
      {"p10_ms", "", Shown::never},
      {"loads", "", Shown::never},
      {"reference_latency_ms", "reference", Shown::always, GivesWay::wholly},
      {"reference_threads", "", Shown::never},
      {"reference_evaluator", "", Shown::never},
      {"speedup_factor", "speedup"},
      {"speedup_low", "", Shown::never},
      {"speedup_high", "", Shown::never},
      {"gflops_per_second", "GFLOP/s", Shown::never},
      {"gbytes_per_second", "GB/s", Shown::never},
      {"of_bound", "of bound", Shown::where_any, GivesWay::wholly},
      {"cause"},
      {"non_discriminating", "", Shown::never},
      {"hardware", "", Shown::never},
      {"machine", "", Shown::never},
      {"rule", "", Shown::never},
      {"trust", "", Shown::never},
      {"timestamp", "", Shown::never}};
  return all;
}

bool is_check(const Trace* trace) {
  const auto& evaluation = trace->evaluation;
  return evaluation && evaluation->kbench && evaluation->kbench->kernel &&
         evaluation->kbench->kernel->contract;
}

// Tells whether its time says nothing of the solution, or it was not timed.
bool has_no_time(const Trace* trace) {
  return is_check(trace) || (trace->evaluation && is_emulated(*trace->evaluation));
}

// People see the used share of a limit where the rule has one, and the largest error where it has
// not: an error tells right from wrong only by what the rule makes of it.
Shown shown_error(std::string_view key, const std::vector<const Trace*>& traces) {
  const bool wants_share = key == "margin";
  const bool is_any = std::any_of(traces.begin(), traces.end(), [&](const Trace* trace) {
    const auto& evaluation = trace->evaluation;
    return evaluation && evaluation->correctness &&
           limit_share(*evaluation).has_value() == wants_share;
  });
  return is_any ? Shown::always : Shown::never;
}

// Columns, those of times hidden from people where no row has one that says something.
std::vector<GridColumn> columns_for(const std::vector<const Trace*>& traces, bool rates) {
  std::vector<GridColumn> all = trace_columns();
  for (GridColumn& column : all) {
    if (rates && column.key.ends_with("_per_second")) column.shown = Shown::always;
    if (column.key == "margin" || column.key == "max_absolute_error")
      column.shown = shown_error(column.key, traces);
  }
  if (!std::all_of(traces.begin(), traces.end(), has_no_time)) return all;
  const auto is_named = [](std::string_view key) {
    return [key](const GridColumn& column) { return column.key == key; };
  };
  const auto first = std::find_if(all.begin(), all.end(), is_named("latency_ms"));
  const auto last = std::find_if(first, all.end(), is_named("cause"));
  std::for_each(first, last, [](GridColumn& column) { column.shown = Shown::never; });
  return all;
}

const char* colour_of(Status status) { return status == Status::passed ? "\033[32m" : "\033[31m"; }

// Timing, null also where it took no time.
const Timing* timing_of(const Evaluation& evaluation) {
  if (!evaluation.kbench || !evaluation.kbench->timing) return nullptr;
  const Timing& timing = *evaluation.kbench->timing;
  return timing.median_ns > 0 ? &timing : nullptr;
}

// The latency, with its interval to people, and the ends.
void add_latency(std::vector<GridCell>& row, const Evaluation& evaluation, const Timing* timing) {
  const auto [ns, interval] = timing == nullptr ? Estimate{} : recorded_latency(*timing);
  row.push_back(timing == nullptr
                    ? time_cell(evaluation.performance.value_or(Performance{}).latency_ms)
                    : GridCell{ns * 1e-6, time_text(ns, interval)});
  add_ends(row, rescaled(interval, [](double end) { return end * 1e-6; }));
}

GridCell loads_cell(const Timing* timing) {
  if (timing == nullptr || !timing->loads_ns || timing->loads_ns->empty()) return {};
  return {static_cast<std::int64_t>(timing->loads_ns->size())};
}

// Share of its time that the machine itself would need at best.
GridCell bound_cell(const Timing* timing) {
  if (timing == nullptr || !timing->roofline) return {};
  const double share = timing->roofline->bound_ns / recorded_latency(*timing).value;
  return {share, fmt::format("{:.{}f}% {}", 100 * share, share < 0.0995 ? 1 : 0,
                             timing->roofline->bound_by)};
}

void add_reference(std::vector<GridCell>& row, const Timing* timing) {
  if (timing == nullptr || !timing->speedup || timing->speedup->how.empty()) {
    row.insert(row.end(), 2, GridCell{});
    return;
  }
  row.push_back({timing->speedup->threads});
  row.push_back({timing->speedup->evaluator});
}

// The ratio, with its interval to people, and the ends.
void add_speedup(std::vector<GridCell>& row, const Evaluation& evaluation) {
  const auto speedup = recorded_speedup(evaluation);
  const bool was_wanted = evaluation.kbench && evaluation.kbench->timing.has_value();
  row.push_back(speedup ? GridCell{speedup->value, value_text(speedup->value, speedup->interval)}
                        : GridCell{{}, was_wanted ? "–" : ""});
  add_ends(row, speedup ? speedup->interval : std::nullopt);
}

// 1e9 of `amount` a second: the quotient by nanoseconds.
GridCell rate_cell(std::optional<double> amount, const Timing* timing) {
  if (timing == nullptr || amount.value_or(0) <= 0) return {};
  return {*amount / recorded_latency(*timing).value};
}

// Adds rates by what the reference computes, and by the bytes that a call must read and write.
void add_rates(std::vector<GridCell>& row, const std::optional<Work>& work, const Timing* timing) {
  row.push_back(rate_cell(work ? work->flops : std::nullopt, timing));
  const auto bytes =
      work ? std::optional<double>(work->bytes_touched.value_or(work->bytes)) : std::nullopt;
  row.push_back(rate_cell(bytes, timing));
}

void add_errors(std::vector<GridCell>& row, const Evaluation& evaluation) {
  if (!evaluation.correctness) {
    row.insert(row.end(), 3, GridCell{});
    return;
  }
  const auto share = limit_share(evaluation);
  row.push_back(share ? GridCell{*share, limit_share_text(*share)} : GridCell{});
  const double error = evaluation.correctness->max_absolute_error;
  row.push_back({error, fmt::format("{:.2g}", error)});
  row.push_back({evaluation.correctness->max_relative_error});
}

void add_times(std::vector<GridCell>& row, const Evaluation& evaluation) {
  const Timing* timing = timing_of(evaluation);
  add_latency(row, evaluation, timing);
  row.push_back(timing == nullptr ? GridCell{} : GridCell{timing->p10_ns * 1e-6});
  row.push_back(loads_cell(timing));
  row.push_back(time_cell(reference_ns(evaluation) * 1e-6));
  add_reference(row, timing);
  add_speedup(row, evaluation);
  add_rates(row, evaluation.kbench ? evaluation.kbench->work : std::nullopt, timing);
  row.push_back(bound_cell(timing));
}

GridCell cause_cell(const std::string& cause) {
  return cause.empty() ? GridCell{} : GridCell{cause, short_text(cause)};
}

// Remarks on one that passed.
std::string remark_of(const Evaluation& evaluation, const std::string& trivial) {
  std::vector<std::string> texts;
  if (!trivial.empty())
    texts.push_back("tells nothing: a program would pass that returns " + trivial);
  if (evaluation.kbench && evaluation.kbench->timing)
    texts.push_back(gpu_remark(*evaluation.kbench->timing));
  const std::string why = why_no_speedup(evaluation);
  texts.push_back(why.empty() ? "" : "no speed-up: " + why);
  std::erase(texts, "");
  return join(texts, "; ");
}

std::vector<GridCell> row_of(const Trace& trace) {
  const Evaluation& evaluation = *trace.evaluation;
  static const Details none;
  const Details& details = evaluation.kbench ? *evaluation.kbench : none;
  std::vector<GridCell> row = {{trace.definition},
                               {trace.workload.uuid},
                               {workload_text(trace.workload)},
                               {trace.solution.value_or("")},
                               {status_text(evaluation), "", colour_of(evaluation.status)}};
  add_errors(row, evaluation);
  add_times(row, evaluation);
  const std::string trivial = passing_trivially(trace);
  row.push_back(cause_cell(details.cause.value_or(remark_of(evaluation, trivial))));
  row.push_back(text_cell(trivial));
  for (const std::string& text :
       {evaluation.environment.hardware, details.basis ? details.basis->machine : std::string(),
        details.rule, details.trust, evaluation.timestamp})
    row.push_back(text_cell(text));
  return row;
}

}  // namespace

std::vector<Grid> trace_grids(std::span<const Trace> traces, bool rates) {
  std::vector<Grid> grids;
  const Subjects subjects(traces);
  const auto subject_of = [&subjects](const Trace& trace) { return subjects.of(trace); };
  for (const auto& [subject, own] : by_definition(traces, subject_of)) {
    Grid grid{subject, columns_for(own, rates), {}, ""};
    for (const Trace* trace : own)
      if (trace->evaluation) grid.rows.push_back(row_of(*trace));
    if (!grid.rows.empty()) grids.push_back(std::move(grid));
  }
  return grids;
}

std::string csv_header() { return write_csv({.grids = {{"", trace_columns(), {}, ""}}}, {}); }

std::string csv_row(const Trace& trace) { return csv_line(row_of(trace)); }

}  // namespace kbench
