#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "measure/statistics.hpp"
#include "report/by_definition.hpp"
#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/workload_text.hpp"

namespace kbench {
namespace {

std::string status_colour(Status status, bool colour) {
  if (!colour) return "";
  return status == Status::passed ? "\033[32m" : "\033[31m";
}

std::string error_text(const Evaluation& evaluation) {
  if (!evaluation.correctness) return "";
  return fmt::format("{:.2g}", evaluation.correctness->max_absolute_error);
}

// None where it took no time, either.
const Timing* timing_of(const Evaluation& evaluation) {
  if (!evaluation.kbench || !evaluation.kbench->timing) return nullptr;
  const Timing& timing = *evaluation.kbench->timing;
  return timing.median_ns > 0 ? &timing : nullptr;
}

// The median with half the width of its interval, in percent.
std::string interval_text(const Evaluation& evaluation) {
  const Timing* timing = timing_of(evaluation);
  if (timing == nullptr || !timing->interval_ns || timing->interval_ns->size() != 2) return "";
  const double half =
      ((*timing->interval_ns)[1] - (*timing->interval_ns)[0]) / 2 / timing->median_ns * 100;
  return fmt::format("±{:.1f}%", half);
}

// How much of its time the machine itself would need at best.
std::string bound_text(const Evaluation& evaluation) {
  const Timing* timing = timing_of(evaluation);
  if (timing == nullptr || !timing->roofline) return "";
  const double share = timing->roofline->bound_ns / timing->median_ns * 100;
  return fmt::format("{:.{}f}% {}", share, share < 9.95 ? 1 : 0, timing->roofline->bound_by);
}

// How many loads, and how far their medians are apart: half of what lies between them.
std::string loads_text(const Evaluation& evaluation) {
  const Timing* timing = timing_of(evaluation);
  if (timing == nullptr || !timing->loads_ns || timing->loads_ns->empty()) return "";
  const auto [low, high] = std::minmax_element(timing->loads_ns->begin(), timing->loads_ns->end());
  return fmt::format("{} ±{:.1f}%", timing->loads_ns->size(),
                     (*high - *low) / 2 / timing->median_ns * 100);
}

std::vector<Cell> row(const Trace& trace, bool colour) {
  const Evaluation& evaluation = *trace.evaluation;
  const auto time = [](double ms) { return ms > 0 ? human_time(ms * 1e6) : std::string(); };
  std::string latency, reference, speedup;
  if (evaluation.performance) {
    latency = time(evaluation.performance->latency_ms);
    reference = time(evaluation.performance->reference_latency_ms);
    const double factor = evaluation.performance->speedup_factor;
    if (factor > 0) speedup = fmt::format("{:.{}f}x", factor, factor < 9.995 ? 2 : 1);
  }
  std::string note = evaluation.kbench && evaluation.kbench->cause ? *evaluation.kbench->cause : "";
  if (const auto end = note.find('\n'); end != std::string::npos) note.resize(end);
  if (note.size() > 90) note = note.substr(0, 89) + "…";
  return {{workload_text(trace.workload)},
          {trace.solution.value_or("")},
          {std::string(status_name(evaluation.status)), status_colour(evaluation.status, colour)},
          {error_text(evaluation)},
          {latency},
          {interval_text(evaluation)},
          {loads_text(evaluation)},
          {reference},
          {speedup},
          {bound_text(evaluation)},
          {note}};
}

}  // namespace

std::string write_table(std::span<const Trace> traces, const ReportOptions& options) {
  const std::vector<Column> columns = {{"workload"},
                                       {"solution"},
                                       {"status"},
                                       {"max error", true},
                                       {"latency", true},
                                       {"95 %", true},
                                       {"loads", true, true},
                                       {"reference", true},
                                       {"speedup", true},
                                       {"of bound", false, true},
                                       {"cause"}};
  std::string out;
  const auto definition_of = [](const Trace& trace) { return trace.definition; };
  for (const auto& [definition, own] : by_definition(traces, definition_of)) {
    std::vector<std::vector<Cell>> rows;
    for (const Trace* trace : own)
      if (trace->evaluation) rows.push_back(row(*trace, options.colour));
    if (rows.empty()) continue;
    out += (out.empty() ? "" : "\n") + heading(definition, options.colour) + "\n" +
           align(columns, rows);
  }
  return out;
}

}  // namespace kbench
