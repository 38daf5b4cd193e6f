#include "cli/tune_options.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/values.hpp"
#include "schema/tuned_entry.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

void declare_search(CLI::App& app, TuneCommand& c) {
  app.add_option("--strategy", c.strategy,
                 "In which order configurations are tried: exhaustive (the default), random, "
                 "halving or local; see docs/tuning.md")
      ->check(CLI::IsMember(strategy_names()))
      ->option_text("S");
  app.add_option("--budget", c.budget_seconds,
                 "Seconds after which no further configuration is tried; default: none")
      ->check(positive(1e6))
      ->option_text("S");
  app.add_option("--evaluations", c.evaluations, "Configurations that are tried at most")
      ->check(integer(1, largest_setting))
      ->option_text("N");
  app.add_option(
         "--objective", c.objective,
         "What is to be short: time (the default), or cold: of single calls with inputs and "
         "outputs in no cache")
      ->check(CLI::IsMember(objective_names))
      ->option_text("O");
  app.add_option("--direction", c.direction,
                 "What is tuned: fwd (the default), a solution's run; bwd, its vjp; or fwd+bwd, "
                 "fwd_with_residuals and vjp together; see docs/gradients.md")
      ->check(CLI::IsMember(direction_names))
      ->option_text("D");
  app.add_option("--contest", c.contest_seconds,
                 "Seconds in which the fastest are compared with the heuristic's; default 3")
      ->check(positive(1e6))
      ->option_text("S");
}

}  // namespace

void declare_tuning(CLI::App& app, TuneCommand& c) {
  app.add_option("definition", c.run.selection.definitions,
                 "Definitions (exactly, else by unique prefix) whose solutions are tuned")
      ->required()
      ->option_text("DEFINITION...");
  declare_search(app, c);
  app.add_flag("--dry-run", c.dry_run, "Say what would be tried, and try nothing");
  app.add_flag("--force", c.force, "Tune again what was tuned before");
  app.add_option("--format", c.format, "table (the default) or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->option_text("F");
  app.add_option("--import", c.import,
                 "A cache file of Kernel Tuner or T4 results: its configurations are tried first, "
                 "the fastest there before all others; of their times nothing is believed")
      ->check(CLI::ExistingFile)
      ->option_text("FILE");
  declare_tune_export(app, c.exported);
  app.add_option("--html", c.html, "Write a page with pictures of the searches")
      ->option_text("FILE");
  declare_tune_options(app, c.run);
  app.add_flag("--all", c.all, "Tune on all workloads")->excludes("--workload");
}

}  // namespace kbench
