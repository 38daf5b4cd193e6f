// Checks of a definition's files: their layout, each author's traces, and those of "baseline".
#include "validate/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "schema/record_signature.hpp"
#include "schema/solution.hpp"

namespace kbench {
namespace {

const TraceLine* first_of_other_definition(const std::vector<TraceLine>* lines,
                                           std::string_view name) {
  if (lines == nullptr) return nullptr;
  const auto found = std::find_if(lines->begin(), lines->end(), [&](const TraceLine& line) {
    return line.trace.definition != name;
  });
  return found == lines->end() ? nullptr : &*found;
}

void layout_of_definition(const CheckInput& input) {
  const Definition* definition = input.definition();
  if (definition == nullptr) return;
  const PathNames& names = input.entry.file.names;
  const auto differs = [&](std::string_view field, std::string_view path, std::string_view json) {
    if (path == json) return;
    input.error(
        input.entry.file,
        fmt::format("definition {} mismatch: path says '{}', JSON says '{}'", field, path, json),
        fmt::format("/{}", field));
  };
  differs("name", names.definition, definition->name);
  differs("op_type", names.op_type, definition->op_type);
}

// `file` and `noun` are the names in messages for a file of workloads or traces, and its lines.
void layout_of_lines(const CheckInput& input, const Entry& entry, std::string_view file,
                     std::string_view noun, const std::string& whose) {
  const PathNames& expected = input.entry.file.names;
  if (entry.names.op_type != expected.op_type) {
    input.error(entry, fmt::format("{} op_type mismatch{}: expected '{}', got '{}'", file, whose,
                                   expected.op_type, entry.names.op_type));
  }
  if (const TraceLine* line = first_of_other_definition(input.lines(entry), expected.definition)) {
    input.error(entry,
                fmt::format("{} definition mismatch{}: expected '{}', got '{}'", noun, whose,
                            expected.definition, line->trace.definition),
                "/definition", line->line);
  }
}

void layout_of_solution(const CheckInput& input, const Entry& entry) {
  if (!input.file(entry).solution) return;
  const Solution& solution = *input.file(entry).solution;
  const PathNames& names = entry.names;
  const PathNames& expected = input.entry.file.names;
  const auto differs = [&](std::string_view field, std::string_view path, std::string_view json) {
    if (path == json) return;
    input.error(entry,
                fmt::format("solution '{}' {} mismatch: path '{}', JSON '{}'", names.name, field,
                            path, json),
                fmt::format("/{}", field));
  };
  differs("author", names.author, solution.author);
  differs("definition", expected.definition, solution.definition);
  if (solution.name != names.name) {
    input.error(
        entry,
        fmt::format("solution name mismatch: path '{}', JSON '{}'", names.name, solution.name),
        "/name");
  }
  if (names.op_type != expected.op_type) {
    input.error(entry, fmt::format("solution '{}' op_type mismatch: expected '{}', got '{}'",
                                   names.name, expected.op_type, names.op_type));
  }
}

// FlashInfer-Bench reads no file whose last line is torn; kbench's reader warns of one.
void note_torn(const CheckInput& input, const Entry& entry) {
  const ScannedFile& file = input.file(entry);
  if (!file.broken() || file.problems.errors() > 0) return;
  input.error(
      entry,
      fmt::format(
          "parse error: torn last line, for which FlashInfer-Bench refuses the file (line {})",
          file.bad_line));
}

}  // namespace

const Definition* CheckInput::definition() const {
  const ScannedFile& own = file(entry.file);
  return own.definition ? &*own.definition : nullptr;
}

const std::vector<TraceLine>* CheckInput::lines(const Entry& of) const {
  const ScannedFile& own = file(of);
  return own.broken() ? nullptr : &own.lines;
}

void check_layout(const CheckInput& input) {
  const DefinitionEntry& entry = input.entry;
  for (const auto* const files : {&entry.workloads, &entry.traces})
    for (const Entry& file : *files) note_torn(input, file);
  if (!entry.duplicate.empty()) return input.error(entry.file, entry.duplicate);
  layout_of_definition(input);
  for (const Entry& file : entry.workloads)
    layout_of_lines(input, file, "workload", "workload trace", "");
  for (const Entry& solution : entry.solutions) layout_of_solution(input, solution);
  for (const Entry& file : entry.traces)
    layout_of_lines(input, file, "trace file", "trace",
                    fmt::format(" for author '{}'", file.names.author));
}

// Descriptions that a definition lacks are one message: there are many.
void check_descriptions(const CheckInput& input) {
  const Definition* const definition = input.definition();
  if (!input.entry.duplicate.empty() || definition == nullptr) return;
  std::vector<std::string> missing;
  const auto described = [&](const std::optional<std::string>& text, std::string what) {
    if (!text || text->empty()) missing.push_back(std::move(what));
  };
  described(definition->description, "the definition");
  for (const auto& [name, axis] : definition->axes)
    described(std::visit([](const auto& one) { return one.description; }, axis), "axes." + name);
  for (const auto& [name, spec] : definition->inputs) described(spec.description, "inputs." + name);
  for (const auto& [name, spec] : definition->outputs)
    described(spec.description, "outputs." + name);
  if (!missing.empty())
    input.warning(input.entry.file, "missing description: " + join(missing, ", "));
}

namespace {

// Tells whether a trace is of a library's kernel, or of the reference: no Solution of the set is.
bool has_no_solution(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && (details->kernel || is_of_reference(*trace.solution));
}

void trace_lines(const CheckInput& input, const Entry& entry,
                 const std::set<std::string_view>& solutions) {
  for (const TraceLine& line : *input.lines(entry)) {
    const Trace& trace = line.trace;
    if (trace.definition != input.entry.file.names.definition) return;  // reported already
    if (const std::string why = contradiction_in(trace); !why.empty())
      input.out.push_back(
          {Level::warning, why + ": it counts nowhere", entry.file, line.line, "/evaluation"});
    if (!trace.solution || !trace.evaluation) {
      if (!line.misplaced)  // those are reported by the reader
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

std::set<std::string_view> uuids_of(const std::vector<TraceLine>* lines) {
  std::set<std::string_view> uuids;
  if (lines == nullptr) return uuids;
  for (const TraceLine& line : *lines) uuids.insert(line.trace.workload.uuid);
  return uuids;
}

std::size_t missing(const std::set<std::string_view>& wanted,
                    const std::set<std::string_view>& there) {
  return static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [&](std::string_view uuid) { return !there.contains(uuid); }));
}

// Returns the names of the solutions in their files' names, of one author or of all.
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
    // Solutions that are unknown are reported by check_traces().
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
  const auto& files = input.entry.workloads;
  const auto wanted = uuids_of(files.empty() ? nullptr : input.lines(files.front()));
  for (const Entry& entry : input.entry.traces) {
    const auto* lines = input.lines(entry);
    if (lines == nullptr) continue;
    trace_lines(input, entry, solutions);
    const std::string& author = entry.names.author;
    const bool is_counted = !lines->empty() || author == "baseline";
    const std::size_t lacking = is_counted ? missing(wanted, uuids_of(lines)) : 0;
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
