// kbench kernels list: kernels that libraries and trace sets register, and that built ones do.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/confined.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "exec/registered_kernels.hpp"
#include "judge/engine.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/lookup.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

constexpr auto load_limit = std::chrono::seconds(10);

struct KernelsListOptions {
  KernelOptions kernels;
  std::vector<std::string> built;
  std::string op;
  std::string format = "table";
};

// A kernel of a built library, which says nothing of platform, backend and priority.
struct BuiltKernel {
  std::string library;  // path of the library
  RegisteredKernel said;
};

std::vector<BuiltKernel> load_built(const std::vector<std::string>& paths, Diagnostics& out) {
  std::vector<BuiltKernel> all;
  const auto worker = installation().programs / worker_program(Engine::kbench);
  for (const std::string& path : paths) {
    const Where where{path};
    if (!std::filesystem::is_regular_file(path)) {
      out.error(where, std::filesystem::exists(path) ? "is no shared library" : "no such file");
      continue;
    }
    check_confined(path);
    RegisteredKernels found = registered_kernels(worker, path, load_limit);
    if (!found.problem.empty()) {
      out.error(where, found.problem);
    } else if (found.kernels.empty()) {
      out.warning(where, "it registers no kernels",
                  "a function register_…_kernels() in the namespace torch::executor, which it "
                  "exports, is called");
    }
    for (RegisteredKernel& one : found.kernels) all.push_back({path, std::move(one)});
  }
  return all;
}

std::vector<GridCell> row_of(const Implementation& one) {
  GridCell key;
  if (one.key) key = {key_text(*one.key), human_text(*one.key)};
  if (!one.key) key.text = one.competes ? "" : "default";
  const std::string place = short_place(one.where);
  return {{one.operation},
          std::move(key),
          {one.symbol},
          {one.platform},
          {text(one.backend)},
          {std::int64_t{one.priority}},
          text_cell(join(one.conditions, " and ")),
          {one.where.file, place},
          {std::int64_t{one.where.line}}};
}

// People see a priority where some kernel has one.
Shown of_priority(const KernelSet& kernels) {
  const auto& all = kernels.registry.implementations();
  const bool is_any = std::any_of(all.begin(), all.end(),
                                  [](const Implementation& one) { return one.priority != 0; });
  return is_any ? Shown::always : Shown::never;
}

std::vector<GridCell> row_of(const BuiltKernel& one) {
  const RegisteredKernel& said = one.said;
  GridCell key{{}, "default"};
  std::string why;
  const auto parsed = parse_key(said.key, why);
  if (!said.key.empty()) key = {said.key, parsed ? human_text(*parsed) : said.key};
  const std::string place =
      said.where.empty() ? one.library : fmt::format("{} ({})", one.library, said.where);
  return {{said.op}, std::move(key), text_cell(said.symbol), {}, {}, {}, {}, {one.library, place},
          {}};
}

void add_rows(const std::vector<BuiltKernel>& built, const std::string& op, Grid& grid) {
  for (const BuiltKernel& one : built) {
    if (op.empty() || same_operation(one.said.op, op)) grid.rows.push_back(row_of(one));
  }
}

Grid grid_of(const KernelSet& kernels, const std::string& op) {
  Grid grid;
  grid.columns = {{"op"},
                  {"key"},
                  {"symbol"},
                  {"platform"},
                  {"backend"},
                  {"priority", "", of_priority(kernels)},
                  {"where", "", Shown::where_any},
                  {"file"},
                  {"line", "", Shown::never}};
  for (const std::string& operation : kernels.registry.operations()) {
    if (!op.empty() && !same_operation(operation, op)) continue;
    for (const Implementation* one : kernels.registry.implementations(operation))
      grid.rows.push_back(row_of(*one));
  }
  return grid;
}

// Loads the libraries and trace sets; none where built libraries alone are named.
KernelSet load_named(const KernelsListOptions& options, Diagnostics& out) {
  const bool is_built_alone =
      !options.built.empty() && options.kernels.words.empty() && options.kernels.root.empty();
  return is_built_alone ? KernelSet{} : load_kernels(options.kernels, out);
}

int list_kernels(const KernelsListOptions& options) {
  Diagnostics problems;
  const KernelSet kernels = load_named(options, problems);
  const std::vector<BuiltKernel> built = load_built(options.built, problems);
  std::vector<std::string> known = kernels.registry.operations();
  for (const BuiltKernel& one : built) known.push_back(one.said.op);
  const std::string op = operation_named(kernels, options.op);
  Grid grid = grid_of(kernels, op);
  add_rows(built, op, grid);
  const bool is_nothing = grid.rows.empty();
  const bool may_be = op.empty() && problems.errors() == 0;
  if (!is_nothing || may_be) print_document({.grids = {grid}}, options.format);
  if (is_nothing && may_be && kernels.set)
    tell("nothing is registered: no kernel yaml and no Solution under solutions/\n");
  if (!op.empty() && is_nothing)
    problems.error({options.op}, "nothing is registered for it", operator_hint(options.op, known));
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_list(CommandLine line) {
  auto options = std::make_shared<KernelsListOptions>();
  declare_libraries(line, options->kernels);
  line.add_option("--so FILE", options->built,
                  "What this shared library registers, built from what codegen writes; without LIB "
                  "that alone")
      .one_word();
  line.add_option("--op OP", options->op, "Only what is for this operator or Definition");
  declare_format(line, options->format);
  return [options] { return list_kernels(*options); };
}

}  // namespace kbench
