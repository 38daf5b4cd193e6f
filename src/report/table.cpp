#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "measure/statistics.hpp"
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

// The median with half the width of its interval, in percent.
std::string interval_text(const Evaluation& evaluation) {
  if (!evaluation.kbench || !evaluation.kbench->timing) return "";
  const Timing& timing = *evaluation.kbench->timing;
  if (!timing.interval_ns || timing.interval_ns->size() != 2 || timing.median_ns <= 0) return "";
  const double half =
      ((*timing.interval_ns)[1] - (*timing.interval_ns)[0]) / 2 / timing.median_ns * 100;
  return fmt::format("±{:.1f}%", half);
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
          {reference},
          {speedup},
          {note}};
}

}  // namespace

std::string write_table(std::span<const Trace> traces, const ReportOptions& options) {
  const std::vector<Column> columns = {{"workload"},        {"solution"},      {"status"},
                                       {"max error", true}, {"latency", true}, {"95 %", true},
                                       {"reference", true}, {"speedup", true}, {"cause"}};
  std::string out;
  std::vector<std::string> done;
  for (const Trace& first : traces) {
    if (std::find(done.begin(), done.end(), first.definition) != done.end()) continue;
    done.push_back(first.definition);
    std::vector<std::vector<Cell>> rows;
    for (const Trace& trace : traces) {
      if (trace.definition == first.definition && trace.evaluation)
        rows.push_back(row(trace, options.colour));
    }
    if (rows.empty()) continue;
    out += (out.empty() ? "" : "\n") + heading(first.definition, options.colour) + "\n" +
           align(columns, rows);
  }
  return out;
}

}  // namespace kbench
