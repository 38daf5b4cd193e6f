// The checks of trace files: each author's, and those of the author "baseline".
#include <fmt/format.h>

#include <algorithm>

#include "schema/reference_names.hpp"
#include "validate/checks.hpp"

namespace kbench {
namespace {

// A library's kernel, or what kbench made of a reference: no Solution of the trace set is.
bool has_no_solution(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && (details->kernel || is_of_reference(*trace.solution));
}

void trace_lines(const CheckInput& input, const Entry& entry,
                 const std::set<std::string_view>& solutions) {
  for (const TraceLine& line : *input.lines(entry)) {
    const Trace& trace = line.trace;
    if (trace.definition != input.entry.file.names.definition) return;  // check_layout() says it
    if (!trace.solution || !trace.evaluation) {
      if (!line.misplaced)  // else the reader says it
        input.error(entry,
                    fmt::format("{}: trace entry {} missing solution or evaluation",
                                entry.names.author, trace.workload.uuid),
                    "", line.line);
    } else if (!has_no_solution(trace) && !solutions.contains(*trace.solution)) {
      input.error(entry,
                  fmt::format("{}: trace references unknown solution '{}'", entry.names.author,
                              *trace.solution),
                  "/solution", line.line);
    }
  }
}

std::set<std::string_view> uuids_of(const std::vector<TraceLine>& lines) {
  std::set<std::string_view> uuids;
  for (const TraceLine& line : lines) uuids.insert(line.trace.workload.uuid);
  return uuids;
}

std::size_t missing(const std::set<std::string_view>& wanted,
                    const std::set<std::string_view>& there) {
  return static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [&](std::string_view uuid) { return !there.contains(uuid); }));
}

// The names of the solutions in their files' names, of one author or of all.
std::set<std::string_view> solutions_of(const CheckInput& input, std::string_view author = "") {
  std::set<std::string_view> names;
  for (const Entry& entry : input.entry.solutions) {
    const bool is_meant =
        author.empty() ? input.file(entry).solution.has_value() : entry.names.author == author;
    if (is_meant) names.insert(entry.names.name);
  }
  return names;
}

void baseline_traces(const CheckInput& input, const Entry& entry,
                     const std::set<std::string_view>& own) {
  const std::vector<TraceLine>& lines = *input.lines(entry);
  const auto known = solutions_of(input);
  const auto stranger = std::find_if(lines.begin(), lines.end(), [&](const TraceLine& line) {
    const Trace& trace = line.trace;
    if (!trace.solution || trace.solution->empty() || own.contains(*trace.solution)) return false;
    // Unknown ones are said by check_traces().
    return known.contains(*trace.solution) || (trace.evaluation && has_no_solution(trace));
  });
  if (stranger != lines.end())
    input.error(
        entry,
        fmt::format("trace references non-baseline solution '{}'", *stranger->trace.solution),
        "/solution", stranger->line);
  const auto failed = std::count_if(lines.begin(), lines.end(), [](const TraceLine& line) {
    return line.trace.evaluation && line.trace.evaluation->status != Status::passed;
  });
  if (failed > 0) input.warning(entry, fmt::format("trace has {} non-passing entries", failed));
}

}  // namespace

void check_traces(const CheckInput& input) {
  const auto solutions = solutions_of(input);
  const auto wanted = input.workload_uuids();
  for (const Entry& entry : input.entry.traces) {
    const auto* lines = input.lines(entry);
    if (lines == nullptr) continue;
    trace_lines(input, entry, solutions);
    const std::string& author = entry.names.author;
    const bool is_counted = !lines->empty() || author == "baseline";
    const std::size_t lacking = is_counted ? missing(wanted, uuids_of(*lines)) : 0;
    if (lacking > 0)
      input.warning(entry,
                    fmt::format("{} missing {}/{} workloads", author, lacking, wanted.size()));
  }
}

// Messages about the baseline blame its trace file, or the definition where there is none.
void check_baseline(const CheckInput& input) {
  const auto own = solutions_of(input, "baseline");
  if (own.empty()) input.warning(input.entry.file, "no baseline solution");
  const auto& traces = input.entry.traces;
  const auto file = std::find_if(traces.begin(), traces.end(), [](const Entry& entry) {
    return entry.names.author == "baseline";
  });
  if (file == traces.end()) {
    if (!own.empty()) input.warning(input.entry.file, "trace missing");
  } else if (input.lines(*file) != nullptr) {
    baseline_traces(input, *file, own);
  }
}

}  // namespace kbench
