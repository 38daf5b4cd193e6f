#include "validate/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "schema/place.hpp"

namespace kbench {
namespace {

// Collects messages that blame one file.
struct Blame {
  CheckResult& result;
  std::size_t file;

  void error(std::string message, std::string pointer = "", int line = 0) const {
    result.messages.push_back({Level::error, std::move(message), file, line, std::move(pointer)});
  }
  void warning(std::string message) const {
    result.messages.push_back({Level::warning, std::move(message), file, 0});
  }
  void info(std::string message) const {
    result.messages.push_back({Level::info, std::move(message), file, 0});
  }
};

const TraceLine* first_of_other_definition(const std::vector<TraceLine>* lines,
                                           std::string_view name) {
  if (lines == nullptr) return nullptr;
  const auto found = std::find_if(lines->begin(), lines->end(), [&](const TraceLine& line) {
    return line.trace.definition != name;
  });
  return found == lines->end() ? nullptr : &*found;
}

void layout_of_definition(const CheckInput& input, const Blame& out) {
  const Definition* definition = input.definition();
  if (definition == nullptr) return;
  const PathNames& names = input.entry.file.names;
  if (definition->name != names.definition) {
    out.error(fmt::format("definition name mismatch: path says '{}', JSON says '{}'",
                          names.definition, definition->name),
              "/name");
  }
  if (definition->op_type != names.op_type) {
    out.error(fmt::format("definition op_type mismatch: path says '{}', JSON says '{}'",
                          names.op_type, definition->op_type),
              "/op_type");
  }
}

void layout_of_workloads(const CheckInput& input, const Entry& entry, const Blame& out) {
  const PathNames& expected = input.entry.file.names;
  if (entry.names.op_type != expected.op_type) {
    out.error(fmt::format("workload op_type mismatch: expected '{}', got '{}'", expected.op_type,
                          entry.names.op_type));
  }
  if (const TraceLine* line = first_of_other_definition(input.lines(entry), expected.definition)) {
    out.error(fmt::format("workload trace definition mismatch: expected '{}', got '{}'",
                          expected.definition, line->trace.definition),
              "/definition", line->line);
  }
}

void layout_of_solution(const CheckInput& input, const Entry& entry, const Blame& out) {
  if (!input.file(entry).solution) return;
  const Solution& solution = *input.file(entry).solution;
  const PathNames& names = entry.names;
  const PathNames& expected = input.entry.file.names;
  const auto differs = [&](std::string_view field, std::string_view path, std::string_view json) {
    if (path == json) return;
    out.error(fmt::format("solution '{}' {} mismatch: path '{}', JSON '{}'", names.name, field,
                          path, json),
              fmt::format("/{}", field));
  };
  differs("author", names.author, solution.author);
  differs("definition", expected.definition, solution.definition);
  if (solution.name != names.name) {
    out.error(
        fmt::format("solution name mismatch: path '{}', JSON '{}'", names.name, solution.name),
        "/name");
  }
  if (names.op_type != expected.op_type) {
    out.error(fmt::format("solution '{}' op_type mismatch: expected '{}', got '{}'", names.name,
                          expected.op_type, names.op_type));
  }
}

void layout_of_traces(const CheckInput& input, const Entry& entry, const Blame& out) {
  const PathNames& expected = input.entry.file.names;
  if (entry.names.op_type != expected.op_type) {
    out.error(fmt::format("trace file op_type mismatch for author '{}': expected '{}', got '{}'",
                          entry.names.author, expected.op_type, entry.names.op_type));
  }
  if (const TraceLine* line = first_of_other_definition(input.lines(entry), expected.definition)) {
    out.error(fmt::format("trace definition mismatch for author '{}': expected '{}', got '{}'",
                          entry.names.author, expected.definition, line->trace.definition),
              "/definition", line->line);
  }
}

void layout_of_blobs(const CheckInput& input, const Entry& entry, const Blame& out) {
  const auto* lines = input.lines(entry);
  if (lines == nullptr || input.definition() == nullptr) return;
  for (const TraceLine& line : *lines) {
    for (const auto& [name, source] : line.trace.workload.inputs) {
      const auto* blob = std::get_if<SafetensorsInput>(&source);
      std::error_code error;
      if (blob == nullptr || std::filesystem::exists(input.root / blob->path, error)) continue;
      out.error(
          fmt::format("workload {}: blob missing at {}", line.trace.workload.uuid, blob->path),
          fmt::format("/workload/inputs/{}/path", pointer_step(name)), line.line);
    }
  }
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

std::string parse_error(const ScannedFile& file) {
  const Diagnostic* first = nullptr;
  for (const Diagnostic& problem : file.problems.items()) {
    if (file.bad_line > 0 && problem.where.line != file.bad_line) continue;
    if (first == nullptr || (first->level < Level::error && problem.level == Level::error))
      first = &problem;
  }
  if (first != nullptr && first->level < Level::error) {
    return fmt::format(
        "parse error: torn last line, for which FlashInfer-Bench refuses the file (line {})",
        first->where.line);
  }
  const std::string message = first == nullptr ? "cannot be read" : first->message;
  const int line = first == nullptr ? file.bad_line : first->where.line;
  return fmt::format("parse error: {}{}", message, line > 0 ? fmt::format(" (line {})", line) : "");
}

CheckResult check_layout(const CheckInput& input) {
  CheckResult result;
  const DefinitionEntry& entry = input.entry;
  const auto blame = [&](const Entry& of) { return Blame{result, of.file}; };
  if (!entry.duplicate.empty()) {
    blame(entry.file).error(entry.duplicate);
    return result;
  }
  layout_of_definition(input, blame(entry.file));
  for (const Entry& workloads : entry.workloads)
    layout_of_workloads(input, workloads, blame(workloads));
  for (const Entry& solution : entry.solutions)
    layout_of_solution(input, solution, blame(solution));
  for (const Entry& traces : entry.traces) layout_of_traces(input, traces, blame(traces));
  for (const Entry& workloads : entry.workloads)
    layout_of_blobs(input, workloads, blame(workloads));
  return result;
}

CheckResult check_definition(const CheckInput& input) {
  CheckResult result;
  const Blame out{result, input.entry.file.file};
  if (!input.entry.duplicate.empty()) {
    out.error("parse error: " + input.entry.duplicate);
    return result;
  }
  const Definition* definition = input.definition();
  if (definition == nullptr) {
    out.error(parse_error(input.file(input.entry.file)));
    return result;
  }
  const auto described = [&](const std::optional<std::string>& text, std::string_view what) {
    if (!text || text->empty()) out.warning(fmt::format("missing description{}", what));
  };
  described(definition->description, "");
  for (const auto& [name, axis] : definition->axes) {
    described(std::visit([](const auto& one) { return one.description; }, axis), ": axes." + name);
  }
  for (const auto& [name, spec] : definition->inputs)
    described(spec.description, ": inputs." + name);
  for (const auto& [name, spec] : definition->outputs)
    described(spec.description, ": outputs." + name);
  return result;
}

CheckResult check_solutions(const CheckInput& input) {
  CheckResult result;
  const std::vector<Entry>& entries = input.entry.solutions;
  if (entries.empty()) {
    Blame{result, input.entry.file.file}.info("no solutions");
    return result;
  }
  Blame{result, input.entry.file.file}.info("");
  std::size_t valid = 0;
  for (const Entry& entry : entries) {
    const Blame out{result, entry.file};
    const PathNames& names = entry.names;
    if (!input.file(entry).solution) {
      out.error(fmt::format("{}: {}", names.name, parse_error(input.file(entry))));
      continue;
    }
    ++valid;
    const Solution& solution = *input.file(entry).solution;
    const std::string& definition = input.entry.file.names.definition;
    if (solution.definition != definition) {
      out.error(fmt::format("{}: definition field '{}' != '{}'", names.name, solution.definition,
                            definition));
    }
    if (solution.author != names.author) {
      out.error(fmt::format("{}: author field '{}' != path '{}'", names.name, solution.author,
                            names.author));
    }
    if (solution.name != names.name) {
      out.error(fmt::format("{0}: name field '{1}' != path '{0}'", names.name, solution.name));
    }
  }
  result.messages.front().message = fmt::format("{} solutions", valid);
  return result;
}

}  // namespace kbench
