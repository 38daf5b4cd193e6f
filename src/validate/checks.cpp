#include "validate/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

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
  if (definition->name != names.definition) {
    input.error(input.entry.file,
                fmt::format("definition name mismatch: path says '{}', JSON says '{}'",
                            names.definition, definition->name),
                "/name");
  }
  if (definition->op_type != names.op_type) {
    input.error(input.entry.file,
                fmt::format("definition op_type mismatch: path says '{}', JSON says '{}'",
                            names.op_type, definition->op_type),
                "/op_type");
  }
}

void layout_of_workloads(const CheckInput& input, const Entry& entry) {
  const PathNames& expected = input.entry.file.names;
  if (entry.names.op_type != expected.op_type) {
    input.error(entry, fmt::format("workload op_type mismatch: expected '{}', got '{}'",
                                   expected.op_type, entry.names.op_type));
  }
  if (const TraceLine* line = first_of_other_definition(input.lines(entry), expected.definition)) {
    input.error(entry,
                fmt::format("workload trace definition mismatch: expected '{}', got '{}'",
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

void layout_of_traces(const CheckInput& input, const Entry& entry) {
  const PathNames& expected = input.entry.file.names;
  if (entry.names.op_type != expected.op_type) {
    input.error(entry,
                fmt::format("trace file op_type mismatch for author '{}': expected '{}', got '{}'",
                            entry.names.author, expected.op_type, entry.names.op_type));
  }
  if (const TraceLine* line = first_of_other_definition(input.lines(entry), expected.definition)) {
    input.error(entry,
                fmt::format("trace definition mismatch for author '{}': expected '{}', got '{}'",
                            entry.names.author, expected.definition, line->trace.definition),
                "/definition", line->line);
  }
}

// FlashInfer-Bench reads no file whose last line is torn; for kbench that is a warning of the
// reader.
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

std::set<std::string_view> CheckInput::workload_uuids() const {
  std::set<std::string_view> uuids;
  const auto* all = entry.workloads.empty() ? nullptr : lines(entry.workloads.front());
  if (all == nullptr) return uuids;
  for (const TraceLine& line : *all) uuids.insert(line.trace.workload.uuid);
  return uuids;
}

void check_layout(const CheckInput& input) {
  const DefinitionEntry& entry = input.entry;
  for (const auto* const files : {&entry.workloads, &entry.traces}) {
    for (const Entry& file : *files) note_torn(input, file);
  }
  if (!entry.duplicate.empty()) return input.error(entry.file, entry.duplicate);
  layout_of_definition(input);
  for (const Entry& workloads : entry.workloads) layout_of_workloads(input, workloads);
  for (const Entry& solution : entry.solutions) layout_of_solution(input, solution);
  for (const Entry& traces : entry.traces) layout_of_traces(input, traces);
}

// One message for all that a definition does not describe: there are many.
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

}  // namespace kbench
