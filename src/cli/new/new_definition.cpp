// kbench new definition: one that can be judged at once, with two workloads.
#include <fmt/format.h>

#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/new/making.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "scaffold/starters.hpp"
#include "schema/find_files.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace fs = std::filesystem;

int new_definition(const NewOptions& options) {
  const Starter& starter = *find_starter(options.like.empty() ? starters().front().name
                                                              : std::string_view(options.like));
  Definition definition = starter.definition();
  if (!options.definition.empty()) definition.name = options.definition;
  if (const std::string wrong = check_file_name(definition.name); !wrong.empty())
    return complain("definition: " + wrong);
  const fs::path root = find_root(options.root).value_or(".");
  const NewFile file = definition_file(definition);
  const fs::path path = (root / file.path).lexically_normal();
  std::error_code error;
  if (fs::exists(path, error))
    return complain(path.string() + " is there already", "give the new one another name");
  write_file(path, file.text);
  print(path.string() + "\n");
  for (const auto& axes : {starter.small, starter.large}) {
    Diagnostics problems;
    const auto made = make_workload(definition, axes, {options.seed, Place(path)}, problems);
    if (complain(problems) || !made) return exit_environment;
    add_workload(*made, root, workload_file(root, definition).lexically_normal());
  }
  tell(fmt::format("next: kbench new solution {}{}\n", shell_quote(definition.name),
                   again_with_root(options)));
  return exit_good;
}

}  // namespace kbench
