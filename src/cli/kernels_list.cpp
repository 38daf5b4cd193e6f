// kbench kernels list: what libraries and trace sets register.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_set.hpp"
#include "cli/kernels.hpp"
#include "cli/terminal.hpp"
#include "registry/lookup.hpp"
#include "registry/yaml_place.hpp"
#include "report/grid.hpp"

namespace kbench {
namespace {

struct Options {
  KernelOptions kernels;
  std::string op;
  std::string format = "table";
};

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

Grid grid_of(const KernelSet& kernels, const std::string& op) {
  Grid grid;
  grid.columns = {{"op"},      {"key"},
                  {"symbol"},  {"platform"},
                  {"backend"}, {"priority", "", of_priority(kernels)},
                  {"file"},    {"line", "", Shown::never}};
  for (const std::string& operation : kernels.registry.operations()) {
    if (!op.empty() && !same_operation(operation, op)) continue;
    for (const Implementation* one : kernels.registry.implementations(operation))
      grid.rows.push_back(row_of(*one));
  }
  return grid;
}

int list(const Options& options) {
  Diagnostics problems;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  const std::vector<std::string> known = kernels.registry.operations();
  const std::string op = operation_named(kernels, options.op);
  const Grid grid = grid_of(kernels, op);
  print(write_grids({&grid, 1}, options.format, {terminal().colour_out, terminal().width}));
  if (!op.empty() && grid.rows.empty())
    problems.error({options.op, 0, 0, "", ""}, "nothing is registered for it",
                   did_you_mean(op, known));
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_list(CLI::App& app) {
  auto options = std::make_shared<Options>();
  declare_libraries(app, options->kernels);
  app.add_option("--op", options->op, "Only what is for this operator or Definition")
      ->option_text("OP");
  app.add_option("--format", options->format, join(grid_format_names(), ", "))
      ->check(CLI::IsMember(grid_format_names()))
      ->option_text("FORMAT");
  return [options] { return list(*options); };
}

}  // namespace kbench
