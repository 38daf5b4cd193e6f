#include "schema/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "schema/check_function.hpp"
#include "schema/names.hpp"
#include "schema/place.hpp"
#include "schema/solution_check.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

constexpr std::string_view reference_hint =
    "\"reference\" is Python source that defines run(inputs…) in plain PyTorch";

std::string joined_kinds() {
  const auto all = names(static_cast<const ValueKind*>(nullptr));
  return join(std::vector<std::string>(all.begin(), all.end()), ", ");
}

// Returns line and column of a byte of a text, for messages about code inside a string.
std::string code_place(std::string_view text, std::size_t index) {
  const auto before = text.substr(0, index);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, index - start + 1);
}

// A check that names an output is meant to judge it: a misspelt parameter beside it is an error.
void check_check(const Definition& definition, const python::Module& module, Findings& out) {
  const auto check = find_check(definition, module);
  if (!check || check->unknown.empty()) return;
  std::vector<std::string> known;
  for (const auto& [name, spec] : definition.inputs) known.push_back(name);
  for (const auto& [name, spec] : definition.outputs) known.push_back(name);
  for (const auto& [name, spec] : definition.outputs)
    known.push_back(std::string(expected_prefix) + name);
  std::string hint = did_you_mean(check->unknown.front(), known);
  if (hint.empty()) hint = "parameters are " + join(known, ", ") + ", and any with a default";
  out.push_back(
      {"/reference",
       fmt::format("check() takes \"{}\", which is no input, no output and no expected "
                   "output ({} of the reference)",
                   check->unknown.front(), code_place(definition.reference, check->def_begin)),
       hint, check->def_begin});
}

void check_reference(const Definition& definition, Findings& out) {
  const auto parsed = python::parse_module(definition.reference);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed)) {
    out.push_back({"/reference",
                   fmt::format("reference must be valid Python code: {} ({} of the reference)",
                               error->message, code_place(definition.reference, error->offset)),
                   "", error->offset});
    return;
  }
  const auto& module = std::get<python::Module>(parsed);
  const auto& functions = module.functions;
  const bool has_run =
      std::any_of(functions.begin(), functions.end(),
                  [](const python::Function& f) { return f.name == "run" && !f.is_async; });
  if (!has_run) {
    out.push_back({"/reference", "reference must define a top-level function named 'run'",
                   std::string(reference_hint), 0});
  }
  check_check(definition, module, out);
}

void check_constraints(const Definition& definition, Findings& out) {
  if (definition.constraints.size() > 256)  // each is asked for many samples of lengths
    return out.push_back({"/constraints", "more than 256 constraints", "", 0});
  for (std::size_t i = 0; i < definition.constraints.size(); ++i) {
    const auto parsed = python::parse_expression(definition.constraints[i]);
    if (const auto* error = std::get_if<python::SyntaxError>(&parsed)) {
      out.push_back(
          {fmt::format("/constraints/{}", i),
           fmt::format("constraint must be a valid Python expression: {}", error->message),
           "as in \"M % 16 == 0\"", error->offset});
    }
  }
}

// `section` is "inputs" or "outputs", `noun` what messages call one of them.
void check_axes(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                std::string_view section, Findings& out) {
  const std::string_view noun = section == "inputs" ? "Input" : "Output";
  std::vector<std::string> known;
  for (const auto& [name, axis] : definition.axes) known.push_back(name);
  for (const auto& [name, spec] : tensors) {
    for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
      const std::string& axis = (*spec.shape)[i];
      if (definition.axes.contains(axis)) continue;
      std::string hint = did_you_mean(axis, known);
      if (hint.empty() && !known.empty()) hint = "axes are " + join(known, ", ");
      out.push_back({fmt::format("/{}/{}/shape/{}", section, pointer_step(name), i),
                     fmt::format("{} \"{}\" references undefined axis \"{}\"", noun, name, axis),
                     hint, 0});
    }
  }
}

bool is_absolute(std::string_view path) { return !path.empty() && path[0] == '/'; }

bool climbs(std::string_view path) {
  const auto parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

constexpr std::size_t most_folders = 500;  // a solution's source folders

std::string shortened(const std::string& text) {
  return text.size() <= longest_name ? text : text.substr(0, longest_name) + "…";
}

// Returns "" for a path that a file below any folder can have.
std::string fault_of_file_name(const std::string& path) {
  const auto parts = split(path, '/');
  if (parts.back().empty() || parts.back() == ".") return "it names a folder";
  if (parts.size() > 30) return "it has more than 30 parts";
  const bool is_long = std::any_of(
      parts.begin(), parts.end(), [](std::string_view part) { return part.size() > longest_name; });
  return is_long ? "a part of it is longer than 200 bytes" : "";
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++count;
  return count;
}

// Reports two sources that are one file, and one that is the folder of another.
void check_paths(const Solution& solution, Findings& out) {
  const auto normal = [](const SourceFile& source) {
    return std::filesystem::path(source.path).lexically_normal();
  };
  std::set<std::filesystem::path> folders;
  for (const SourceFile& source : solution.sources) {
    if (!fault_of_file_name(source.path).empty()) return;  // which is reported; it may nest deep
    for (auto at = normal(source).parent_path(); !at.empty() && at != "/"; at = at.parent_path())
      folders.insert(at);
  }
  if (folders.size() > most_folders)  // each takes a file system milliseconds
    return out.push_back({"/sources", fmt::format("more than {} folders", most_folders), "", 0});
  std::set<std::filesystem::path> seen;
  for (std::size_t i = 0; i < solution.sources.size(); ++i) {
    const SourceFile& source = solution.sources[i];
    const bool is_new = seen.insert(normal(source)).second;
    if (is_new && !folders.contains(normal(source))) continue;
    out.push_back({fmt::format("/sources/{}/path", i),
                   is_new ? fmt::format("source '{}' is the folder of another", source.path)
                          : fmt::format("duplicate source path '{}'", source.path),
                   "", 0});
  }
}

}  // namespace

std::optional<std::int64_t> const_value(const Axis& axis) {
  const auto* constant = std::get_if<AxisConst>(&axis);
  return constant != nullptr ? std::optional(constant->value) : std::nullopt;
}

Findings check(const AxisConst& axis) {
  if (axis.type == "const") return {};
  return {{"/type", fmt::format("expected \"const\", found \"{}\"", axis.type), "", 0}};
}

Findings check(const AxisVar& axis) {
  if (axis.type == "var") return {};
  return {{"/type", fmt::format("expected \"var\", found \"{}\"", axis.type), "", 0}};
}

Findings check(const Definition& definition) {
  Findings out;
  check_reference(definition, out);
  for (const auto& [name, spec] : definition.outputs) {
    if (definition.inputs.contains(name)) {
      out.push_back({"/outputs/" + pointer_step(name),
                     fmt::format("input and output names must not overlap: \"{}\" is both", name),
                     "rename the output", 0});
    }
  }
  check_constraints(definition, out);
  check_axes(definition, definition.inputs, "inputs", out);
  check_axes(definition, definition.outputs, "outputs", out);
  return out;
}

Findings check(const SourceFile& source) {
  if (is_absolute(source.path)) {
    return {{"/path", "invalid source path (absolute path not allowed): " + source.path,
             "sources are named relative to the solution", 0}};
  }
  if (climbs(source.path)) {
    return {{"/path",
             "invalid source path (parent directory traversal not allowed): " + source.path,
             "sources lie below the solution", 0}};
  }
  if (source.path.starts_with('-') || source.path.starts_with('@')) {
    return {{"/path",
             fmt::format("invalid source path (it begins with '{}'): {}", source.path.front(),
                         source.path),
             "a compiler would take it for an option", 0}};
  }
  if (const std::string why = fault_of_file_name(source.path); !why.empty())
    return {{"/path", fmt::format("invalid source path ({}): {}", why, shortened(source.path)),
             "a source is a file", 0}};
  if (std::any_of(source.path.begin(), source.path.end(), &is_control))
    return {{"/path", "invalid source path (it has a control character): " + source.path, "", 0}};
  return {};
}

Findings check(const BuildSpec& spec) {
  Findings out = check_flags(spec);
  for (Finding& finding : check_launch(spec)) out.push_back(std::move(finding));
  if (occurrences(spec.entry_point, "::") == 1) {
    const auto function = spec.entry_point.substr(spec.entry_point.find("::") + 2);
    if (function.size() > longest_name)
      out.push_back({"/entry_point", "the function's name is longer than 200 bytes", "", 0});
    return out;
  }
  out.insert(
      out.begin(),
      {"/entry_point",
       fmt::format("invalid entry point format: {}; expected \"<file_path>::<function_name>\"",
                   spec.entry_point),
       "as in \"kernel.cpp::run\"", 0});
  return out;
}

static void check_name(const char* pointer, const std::string& name, Findings& out) {
  if (is_of_reference(name))
    out.push_back({pointer,
                   fmt::format("the name \"{}\" is that of what kbench makes of references", name),
                   "give this solution another one", 0});
}

Findings check(const Solution& solution) {
  Findings out;
  check_name("/name", solution.name, out);
  check_name("/author", solution.author, out);
  check_paths(solution, out);
  const std::string entry = entry_source(solution);
  std::vector<std::string> paths;
  for (const SourceFile& source : solution.sources) paths.push_back(source.path);
  if (std::find(paths.begin(), paths.end(), entry) == paths.end()) {
    out.push_back({"/spec/entry_point",
                   fmt::format("entry source file '{}' not found in sources", entry),
                   did_you_mean(entry, paths), 0});
  }
  if (solution.spec.launch && solution.sources.size() == 1 &&
      !solution.sources.front().path.ends_with(".cu"))
    out.push_back(
        {"/sources/0/path", "the source of a solution with \"launch\" ends in .cu", "", 0});
  if (solution.spec.launch && solution.sources.size() > 1)
    out.push_back(
        {"/sources/1", "a solution with \"launch\" has one source", "put it into the first", 0});
  return out;
}

Findings check(const Evaluation& evaluation) {
  Findings out;
  const std::string_view status = status_name(evaluation.status);
  const auto rule = [&](std::string_view field, bool there, bool wanted) {
    if (there == wanted) return;
    out.push_back({wanted ? "" : fmt::format("/{}", field),
                   fmt::format("evaluation must {}include {} when status is {}",
                               wanted ? "" : "not ", field, status),
                   "", 0});
  };
  const bool passed = evaluation.status == Status::passed;
  rule("correctness", evaluation.correctness.has_value(),
       passed || evaluation.status == Status::incorrect_numerical);
  rule("performance", evaluation.performance.has_value(), passed && !is_emulated(evaluation));
  return out;
}

namespace {

constexpr std::int64_t widest = std::int64_t{1} << 53;  // exact in every number kbench draws

void check_limit(const char* pointer, std::optional<std::int64_t> limit, Findings& out) {
  if (limit && (*limit > widest || *limit < -widest))
    out.push_back({pointer, fmt::format("{} is beyond 2^53", *limit), "", 0});
}

}  // namespace

Findings check(const SafetensorsInput& input) {
  const std::size_t nul = input.path.find('\0');
  if (nul == std::string::npos) return {};
  return {{"/path", "the path has a NUL byte", "the system would read the path up to there", nul}};
}

Findings check(const RandomInput& input) {
  Findings out;
  if (!input.kind && (input.low || input.high || input.total || input.padding)) {
    out.push_back(
        {"", "limits of random values need their \"kind\"", "kinds are " + joined_kinds(), 0});
  }
  check_limit("/low", input.low, out);
  check_limit("/high", input.high, out);
  check_limit("/total", input.total, out);
  if (input.low && input.high && *input.low > *input.high)
    out.push_back(
        {"/high", fmt::format("high {} is below low {}", *input.high, *input.low), "", 0});
  return out;
}

}  // namespace kbench
