#include "cli/tune/tune_options.hpp"

#include <vector>

#include "cli/shell/command_line.hpp"
#include "cli/shell/values.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

void declare_search(CommandLine line, TuneCommand& c) {
  line.add_option("--strategy", c.strategy,
                  "In which order configurations are tried: exhaustive (the default), random, "
                  "halving or local; see docs/tuning.md")
      .one_of(strategy_names())
      .text("S");
  line.add_option("--budget", c.budget_seconds,
                  "Seconds after which no further configuration is tried; default: none")
      .check(positive(1e6))
      .text("S");
  line.add_option("--evaluations", c.evaluations, "Configurations that are tried at most")
      .check(integer(1, largest_setting))
      .text("N");
  line.add_option(
          "--objective", c.objective,
          "What is to be short: time (the default), or cold: of single calls with inputs and "
          "outputs in no cache")
      .one_of(objective_names)
      .text("O");
  line.add_option("--direction", c.direction,
                  "What is tuned: fwd (the default), a solution's run; bwd, its vjp; or fwd+bwd, "
                  "fwd_with_residuals and vjp together; see docs/gradients.md")
      .one_of(direction_names)
      .text("D");
  line.add_option("--contest", c.contest_seconds,
                  "Seconds in which the fastest are compared with the heuristic's; default 3")
      .check(positive(1e6))
      .text("S");
}

}  // namespace

void declare_tuning(CommandLine line, TuneCommand& c) {
  line.add_option("definition", c.run.selection.definitions,
                  "Definitions (exactly, else by unique prefix) whose solutions are tuned")
      .required()
      .text("DEFINITION...");
  declare_search(line, c);
  line.add_flag("--dry-run", c.dry_run, "Say what would be tried, and try nothing");
  line.add_flag("--force", c.force, "Tune again what was tuned before");
  line.add_option("--format", c.format, "table (the default) or json")
      .one_of({"table", "json"})
      .text("F");
  line.add_option("--import", c.import,
                  "A cache file of Kernel Tuner or T4 results: its configurations are tried first, "
                  "the fastest there before all others; of their times nothing is believed")
      .existing_file()
      .text("FILE");
  line.add_option("--html", c.html, "Write a page with pictures of the searches").text("FILE");
  declare_tune_options(line, c.run);
}

}  // namespace kbench
