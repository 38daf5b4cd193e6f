// kbench new solution: one that builds, for a definition.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/making.hpp"
#include "cli/names.hpp"
#include "cli/terminal.hpp"
#include "scaffold/solution.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

const StarterLanguage& language_of(const NewOptions& options) {
  const auto languages = starter_languages();
  const auto found = std::find_if(
      languages.begin(), languages.end(),
      [&](const StarterLanguage& row) { return name_of(row.language) == options.language; });
  return found == languages.end() ? languages.front() : *found;
}

// The first file that is there with another text, as it cannot be made anew; "" for none. A header
// can: nobody writes in it.
std::string in_the_way(const NewSolution& solution, const fs::path& root) {
  for (const NewFile& file : solution.files) {
    const auto there = read_file_if_there(root / file.path);
    if (there && *there != file.text && !file.path.ends_with(".h")) return file.path;
  }
  return "";
}

}  // namespace

int new_solution(const NewOptions& options) {
  const auto found = definition_for(options);
  if (!found) return exit_input;
  const fs::path root = find_root(options.root).value_or(".");
  const std::string name = options.name.empty()
                               ? fmt::format("{}_{}", options.author, found->definition.name)
                               : options.name;
  const NewSolution solution = language_of(options).make(found->definition, {name, options.author});
  const std::string there = in_the_way(solution, root);
  if (!there.empty())
    return complain((root / there).lexically_normal().string() + " is there already",
                    "give the new one another name: --name NAME");
  for (const NewFile& file : solution.files) {
    const fs::path path = (root / file.path).lexically_normal();
    write_file(path, file.text);
    print(path.string() + "\n");
  }
  if (!solution.is_right)
    tell(fmt::format("it builds, and computes nothing yet: write compute() in {}\n",
                     fs::path(solution.edit).filename().string()));
  tell(fmt::format("next: kbench run -d {} -s {}{}\n", shell_quote(found->definition.name),
                   shell_quote(name), again_with_root(options)));
  return exit_good;
}

}  // namespace kbench
