// kbench new: records to begin with.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/making.hpp"
#include "cli/values.hpp"
#include "scaffold/solution.hpp"
#include "scaffold/starters.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

struct Kind {
  const char* name;
  std::vector<std::string> options;  // that it alone takes
  int (*make)(const NewOptions& options);
};

const Kind kinds[] = {
    {"definition", {"--like"}, &new_definition},
    {"workload", {"--axes", "--out", "--no-try"}, &new_workload},
    {"solution", {"--language", "--author", "--name", "--gradient"}, &new_solution},
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> starter_names() {
  std::vector<std::string> names;
  for (const Starter& starter : starters()) names.emplace_back(starter.name);
  return names;
}

std::vector<std::string> language_names() {
  std::vector<std::string> names;
  for (const StarterLanguage& row : starter_languages()) names.emplace_back(name_of(row.language));
  return names;
}

// An option of another kind has no effect: "" when there is none.
std::string foreign_option(const CLI::App& app, const Kind& own) {
  for (const Kind& kind : kinds) {
    if (&kind == &own) continue;
    for (const std::string& option : kind.options)
      if (app.count(option) > 0) return fmt::format("{} is of kbench new {}", option, kind.name);
  }
  return "";
}

int make(const CLI::App& app, const NewOptions& options) {
  const Kind& kind = *std::find_if(std::begin(kinds), std::end(kinds),
                                   [&](const Kind& row) { return row.name == options.what; });
  const std::string foreign = foreign_option(app, kind);
  if (!foreign.empty()) return complain(foreign);
  if (options.definition.empty() && kind.make != &new_definition)
    return complain(fmt::format("kbench new {} needs the name or file of a definition", kind.name),
                    "kbench list says which there are");
  return kind.make(options);
}

void declare_of_workloads(CLI::App& app, NewOptions& options) {
  app.add_option("--axes", options.axes, "Lengths of a workload's var axes; others are chosen")
      ->option_text("NAME=N,...");
  app.add_option("--seed", options.seed, "Seed of the index inputs; default 0")
      ->check(unsigned_integer())
      ->option_text("N");
  app.add_flag("--no-try", options.no_try, "Do not run the reference on the workload");
  app.add_option("--out", options.out,
                 "File that gets the workload's line, or - to print it and write nothing")
      ->option_text("FILE");
}

void declare_of_solutions(CLI::App& app, NewOptions& options) {
  app.add_option(
         "--language", options.language,
         "Language of the solution: cpp, or python, which begins as the reference; default cpp")
      ->check(CLI::IsMember(language_names()))
      ->option_text("L");
  app.add_flag("--gradient", options.gradient,
               "With fwd_with_residuals and vjp, in C++: docs/gradients.md");
  app.add_option("--author", options.author, "Author of the solution; default me")
      ->check(check_file_name)
      ->option_text("NAME");
  app.add_option("--name", options.name, "Name of the solution; default AUTHOR_DEFINITION")
      ->check(check_file_name)
      ->option_text("NAME");
}

}  // namespace

std::function<int()> declare_new(CLI::App& app) {
  auto options = std::make_shared<NewOptions>();
  app.add_option("what", options->what, "What to make: definition, workload or solution")
      ->required()
      ->check(CLI::IsMember(kind_names()))
      ->option_text("KIND");
  app.add_option("definition", options->definition,
                 "Name or file of the definition; name of a new one")
      ->option_text("DEF");
  app.add_option("--root", options->root, "Trace set that it is added to; default this folder")
      ->option_text("DIR");
  app.add_option(
         "--like", options->like,
         "What the definition begins as: scale (one pass) or gemm (a product); default scale")
      ->check(CLI::IsMember(starter_names()))
      ->option_text("KIND");
  declare_of_workloads(app, *options);
  declare_of_solutions(app, *options);
  return [options, &app] { return make(app, *options); };
}

}  // namespace kbench
