// kbench new: records to begin with.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/new/making.hpp"
#include "cli/scaffold/solution.hpp"
#include "cli/scaffold/template.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

struct NewKind {
  const char* name;
  std::vector<std::string> options;  // options that it alone takes
  int (*make)(const NewOptions& options);
};

const NewKind new_kinds[] = {
    {"definition",
     {"--like", "--op-type", "--input", "--output", "--reference", "--no-try"},
     &new_definition},
    {"workload", {"--axes", "--out", "--no-try"}, &new_workload},
    {"solution", {"--language", "--author", "--name", "--gradient"}, &new_solution},
    {"kernels", {}, &new_kernels},
};

std::vector<std::string> new_kind_names() {
  std::vector<std::string> names;
  for (const NewKind& kind : new_kinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> starter_names() {
  std::vector<std::string> names;
  for (const Starter& starter : starters()) names.emplace_back(starter.name);
  return names;
}

std::vector<std::string> language_names() {
  std::vector<std::string> names;
  for (const StarterLanguage& row : starter_languages()) names.emplace_back(row.name);
  return names;
}

// Returns an option of another kind, which has no effect; "" when there is none.
std::string foreign_option(const CommandLine& line, const NewKind& own) {
  for (const NewKind& kind : new_kinds) {
    if (&kind == &own) continue;
    for (const std::string& option : kind.options)
      if (line.is_given(option) &&
          std::find(own.options.begin(), own.options.end(), option) == own.options.end())
        return fmt::format("{} is of kbench new {}", option, kind.name);
  }
  return "";
}

int make(const CommandLine& line, const NewOptions& options) {
  const NewKind& kind = *std::find_if(std::begin(new_kinds), std::end(new_kinds),
                                      [&](const NewKind& row) { return row.name == options.what; });
  const std::string foreign = foreign_option(line, kind);
  if (!foreign.empty()) return complain(foreign);
  const bool is_new = kind.make == &new_definition || kind.make == &new_kernels;
  if (options.definition.empty() && !is_new)
    return complain(fmt::format("kbench new {} needs the name or file of a definition", kind.name),
                    "kbench list says which there are");
  return kind.make(options);
}

void declare_of_definitions(CommandLine line, NewOptions& options) {
  line.add_option("--input NAME:AXES:DTYPE...", options.inputs,
                  "A tensor that the definition takes: x:batch,h=1024:bfloat16, where h has one "
                  "length and batch each workload's; of a scalar eps::float32")
      .excludes("--like");
  line.add_option("--output NAME:AXES:DTYPE...", options.outputs,
                  "A tensor that it makes; default: y, like the first input")
      .needs("--input");
  line.add_option("--op-type TYPE", options.op_type,
                  "Its kind, and its folder; default: its name up to the first _")
      .check(check_file_name);
  line.add_option("--reference FILE", options.reference,
                  "A file of Python whose run() computes it; default: one that is to be written")
      .existing_file();
}

void declare_of_workloads(CommandLine line, NewOptions& options) {
  line.add_option("--axes NAME=N,...", options.axes,
                  "Lengths of a workload's var axes; others are chosen");
  line.add_option("--seed N", options.seed, "Seed of the index inputs; default 0")
      .check(unsigned_integer());
  line.add_flag("--no-try", options.no_try, "Do not run the reference on the workload");
  line.add_option("--out FILE", options.out,
                  "File that gets the workload's line, or - to print it and write nothing");
}

void declare_of_solutions(CommandLine line, NewOptions& options) {
  line.add_option("--language L", options.language,
                  "Language of the solution: cpp, torch (C++ with PyTorch's tensors), python, "
                  "which begins as "
                  "the reference, cuda, or triton; default cpp")
      .one_of(language_names());
  line.add_flag("--gradient", options.gradient,
                "With fwd_with_residuals and vjp, in C++: docs/gradients.md");
  line.add_option("--author NAME", options.author, "Author of the solution; default me")
      .check(check_file_name);
  line.add_option("--name NAME", options.name, "Name of the solution; default AUTHOR_DEFINITION")
      .check(check_file_name);
}

}  // namespace

std::function<int()> declare_new(CommandLine line) {
  auto options = std::make_shared<NewOptions>();
  line.add_option("what KIND", options->what,
                  "What to make: definition, workload, solution or kernels")
      .required()
      .one_of(new_kind_names());
  line.add_option("definition DEF", options->definition,
                  "Name or file of the definition; name of a new definition or kernel library");
  line.add_option("--root DIR", options->root,
                  "Trace set that it is added to; default this folder");
  line.add_option(
          "--like KIND", options->like,
          "What the definition begins as: scale (one pass) or gemm (a product); default scale")
      .one_of(starter_names());
  declare_of_definitions(line, *options);
  declare_of_workloads(line, *options);
  declare_of_solutions(line, *options);
  return [options, line] { return make(line, *options); };
}

}  // namespace kbench
