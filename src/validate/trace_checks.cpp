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
                 const std::set<std::string_view>& solutions, CheckResult& result) {
  const std::string& author = entry.names.author;
  const std::string& definition = input.entry.file.names.definition;
  const auto error = [&](const TraceLine& line, std::string message, std::string pointer = "") {
    result.messages.push_back(
        {Level::error, std::move(message), entry.file, line.line, std::move(pointer)});
  };
  for (const TraceLine& line : *input.lines(entry)) {
    const Trace& trace = line.trace;
    if (trace.definition != definition) {
      error(line,
            fmt::format("{}: trace definition '{}' != '{}'", author, trace.definition, definition),
            "/definition");
      return;
    }
    if (!trace.solution || !trace.evaluation) {
      error(line, fmt::format("{}: trace entry {} missing solution or evaluation", author,
                              trace.workload.uuid));
    } else if (!has_no_solution(trace) && !solutions.contains(*trace.solution)) {
      error(line,
            fmt::format("{}: trace references unknown solution '{}'", author, *trace.solution),
            "/solution");
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

// Messages about the baseline blame its trace file, or the definition where there is none.
void baseline_traces(const CheckInput& input, const Entry& entry,
                     const std::set<std::string_view>& solutions, CheckResult& result) {
  const std::vector<TraceLine>& lines = *input.lines(entry);
  const auto say = [&](Level level, std::string message, int line = 0, std::string pointer = "") {
    result.messages.push_back({level, std::move(message), entry.file, line, std::move(pointer)});
  };
  const auto stranger = std::find_if(lines.begin(), lines.end(), [&](const TraceLine& line) {
    const auto& name = line.trace.solution;
    return name && !name->empty() && !solutions.contains(*name);
  });
  if (stranger != lines.end()) {
    say(Level::error,
        fmt::format("trace references non-baseline solution '{}'", *stranger->trace.solution),
        stranger->line, "/solution");
  }
  const auto failed = std::count_if(lines.begin(), lines.end(), [](const TraceLine& line) {
    return line.trace.evaluation && line.trace.evaluation->status != Status::passed;
  });
  say(failed > 0 ? Level::warning : Level::info,
      failed > 0 ? fmt::format("trace has {} non-passing entries", failed) : "trace: all passed");
  const auto wanted = input.workload_uuids();
  if (wanted.empty()) return;
  const auto covered = uuids_of(lines);
  const bool all = missing(wanted, covered) == 0;
  say(all ? Level::info : Level::warning,
      fmt::format("trace{} {}/{} workloads", all ? ":" : " covers", covered.size(), wanted.size()));
}

}  // namespace

CheckResult check_traces(const CheckInput& input) {
  CheckResult result;
  if (input.entry.traces.empty()) {
    result.messages.push_back({Level::info, "no trace files", input.entry.file.file, 0});
    return result;
  }
  std::set<std::string_view> solutions;
  for (const Entry& entry : input.entry.solutions) {
    if (input.file(entry).solution) solutions.insert(entry.names.name);
  }
  const auto wanted = input.workload_uuids();
  for (const Entry& entry : input.entry.traces) {
    const auto* lines = input.lines(entry);
    const std::string& author = entry.names.author;
    if (lines == nullptr) {
      result.messages.push_back({Level::error,
                                 fmt::format("{}: {}", author, parse_error(input.file(entry))),
                                 entry.file, 0});
      continue;
    }
    trace_lines(input, entry, solutions, result);
    const std::size_t lacking = lines->empty() ? 0 : missing(wanted, uuids_of(*lines));
    if (lacking == 0) continue;
    result.messages.push_back(
        {Level::warning, fmt::format("{} missing {}/{} workloads", author, lacking, wanted.size()),
         entry.file, 0});
  }
  return result;
}

CheckResult check_baseline(const CheckInput& input) {
  CheckResult result;
  const auto say = [&](Level level, std::string message) {
    result.messages.push_back({level, std::move(message), input.entry.file.file, 0});
  };
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const Entry& entry : input.entry.solutions) {
    if (entry.names.author != "baseline") continue;
    names.push_back(entry.names.name);
    known.insert(entry.names.name);
  }
  if (names.empty()) {
    say(Level::warning, "no baseline solution");
  } else {
    say(Level::info, fmt::format("solution: {}", fmt::join(names, ", ")));
  }
  const auto& traces = input.entry.traces;
  const auto own = std::find_if(traces.begin(), traces.end(), [](const Entry& entry) {
    return entry.names.author == "baseline";
  });
  if (own == traces.end()) {
    if (!names.empty()) say(Level::warning, "trace missing");
  } else if (input.lines(*own) == nullptr) {
    result.messages.push_back(
        {Level::error, "trace " + parse_error(input.file(*own)), own->file, 0});
  } else {
    baseline_traces(input, *own, known, result);
  }
  return result;
}

}  // namespace kbench
