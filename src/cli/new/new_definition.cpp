// kbench new definition: one that can be judged at once, with two workloads.
#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/new/making.hpp"
#include "cli/scaffold/described_definition.hpp"
#include "cli/scaffold/template.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/targets.hpp"
#include "schema/trace_set.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace fs = std::filesystem;

namespace {

// Returns the definition of the command line; a wrong one gives nothing and is printed.
std::optional<Definition> wanted_definition(const NewOptions& options, const Starter& starter) {
  if (options.inputs.empty()) {
    Definition definition = starter.definition();
    if (!options.definition.empty()) definition.name = options.definition;
    if (!options.op_type.empty()) definition.op_type = options.op_type;
    if (!options.reference.empty()) definition.reference = read_file(options.reference);
    return definition;
  }
  if (options.definition.empty())
    return complain("a definition with --input needs a name"), std::nullopt;
  std::string why;
  auto made =
      described_definition({options.definition, options.op_type, options.inputs, options.outputs,
                            options.reference.empty() ? "" : read_file(options.reference)},
                           why);
  if (!made) complain(why);
  return made;
}

// Reports mistakes of a user's own reference before anything is written: errors, and warnings about
// its parameters.
bool has_mistakes(const NewFile& file, const fs::path& path) {
  ValidationReport report;
  validate_text({path.string(), file.text}, {}, report);
  Diagnostics said;
  for (const FileReport& one : report.files)
    for (const Diagnostic& message : one.messages.items())
      if (message.level == Level::error || message.where.pointer == "/reference") said.add(message);
  return complain(said);
}

// Refuses a reference that fails on a workload, or returns something else than the outputs.
bool is_refused(const NewOptions& options, const Definition& definition, const NewFile& file,
                const fs::path& path) {
  if (options.reference.empty() || options.no_try) return false;
  const Source source{path.string(), file.text};
  Diagnostics problems;
  const auto made = make_workload(definition, {}, {options.seed, Place(source), false}, problems);
  if (complain(problems) || !made) return true;
  const Tried tried = try_reference(definition, Place(source), made->trace, {}, options.seed);
  tell_tried(tried);
  if (tried.problems.empty()) return false;
  tell("  hint: nothing is written; --no-try writes it all the same\n");
  return true;
}

// Adds two workloads of the starter's lengths; described inputs have one of usual lengths.
bool add_workloads(const NewOptions& options, const Definition& definition, const Starter& starter,
                   const fs::path& root, const fs::path& path) {
  std::vector<OrderedMap<std::int64_t>> lengths = {starter.small, starter.large};
  if (!options.inputs.empty()) lengths = {{}};
  for (const auto& axes : lengths) {
    Diagnostics problems;
    const auto made = make_workload(definition, axes, {options.seed, Place(path)}, problems);
    if (complain(problems) || !made) return false;
    add_workload(*made, root, workload_file(root, definition).lexically_normal());
  }
  return true;
}

}  // namespace

int new_definition(const NewOptions& options) {
  const Starter& starter = *find_starter(options.like.empty() ? starters().front().name
                                                              : std::string_view(options.like));
  const auto definition = wanted_definition(options, starter);
  if (!definition) return exit_input;
  if (const std::string wrong = check_file_name(definition->name); !wrong.empty())
    return complain("definition: " + wrong);
  const fs::path root = find_root(options.root).value_or(".");
  const NewFile file = definition_file(*definition);
  const fs::path path = (root / file.path).lexically_normal();
  std::error_code error;
  if (fs::exists(path, error))
    return complain(path.string() + " is there already", "give the new one another name");
  if (has_mistakes(file, path) || is_refused(options, *definition, file, path)) return exit_input;
  write_file(path, file.text);
  print(path.string() + "\n");
  const std::string name = shell_quote(definition->name);
  if (!options.inputs.empty() && options.reference.empty()) {
    tell(fmt::format("next: write run() in its \"reference\", then kbench new workload {}{}\n",
                     name, again_with_root(options)));
    return exit_good;
  }
  if (!add_workloads(options, *definition, starter, root, path)) return exit_environment;
  tell(fmt::format("next: kbench new solution {}{}\n", name, again_with_root(options)));
  return exit_good;
}

}  // namespace kbench
