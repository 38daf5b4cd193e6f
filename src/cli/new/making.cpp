#include "cli/new/making.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/read.hpp"
#include "schema/targets.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

FoundFiles find_definition(const NewOptions& options) {
  std::error_code error;
  if (fs::is_regular_file(options.definition, error)) return {{options.definition}, "", ""};
  if (is_path(options.definition))
    return {{}, fmt::format("{}: no such file", options.definition), ""};
  return find_records(options.definition, options.root);
}

}  // namespace

std::string again_with_root(const NewOptions& options) {
  return options.root.empty() ? "" : " --root " + shell_quote(options.root);
}

int complain(const std::string& message, const std::string& hint) {
  say_error("kbench new", message, hint);
  return exit_input;
}

bool complain(const Diagnostics& problems) {
  for (const Diagnostic& problem : problems.items()) say(problem);
  return problems.errors() > 0;
}

void tell_tried(const Tried& tried) {
  if (!tried.note.empty()) tell(fmt::format("not tried on the reference: {}\n", tried.note));
  complain(tried.problems);
  if (tried.note.empty() && tried.problems.empty()) tell("tried: the reference takes it\n");
}

std::string check_file_name(const std::string& name) {
  if (!name.empty() && name.front() != '.' && name.front() != '-' &&
      name.find('/') == std::string::npos && printable(name) == name)
    return "";
  return fmt::format("\"{}\" cannot be the name of a file, which this becomes", name);
}

std::optional<FoundDefinition> definition_for(const NewOptions& options) {
  const FoundFiles found = find_definition(options);
  if (found.files.empty()) {
    complain(found.message, found.hint);
    return std::nullopt;
  }
  const fs::path& path = found.files.front();
  Diagnostics problems;
  const Source source{path.string(), read_file(path)};
  auto definition = read_text<Definition>(source, {}, problems);
  if (complain(problems) || !definition) return std::nullopt;
  return FoundDefinition{std::move(*definition), path};
}

void add_workload(const NewWorkload& made, const fs::path& root, const fs::path& file) {
  const auto known = read_file_if_there(file);
  if (known && known->find('"' + made.trace.workload.uuid + '"') != std::string::npos) {
    tell(fmt::format("{} has this workload already\n", file.lexically_normal().string()));
  } else {
    write_blob(made, root);
    append_trace(file, made.trace);
    tell(fmt::format("added to {}\n", file.lexically_normal().string()));
  }
}

}  // namespace kbench
