#include "cli/tune/tune_options.hpp"

#include <vector>

#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

void declare_search(CommandLine line, TuneCommand& c) {
  line.add_option("--strategy S", c.strategy,
                  "In which order configurations are tried: exhaustive (the default), random, "
                  "halving or local; see docs/tuning.md")
      .one_of(strategy_names());
  line.add_option("--budget S", c.budget_seconds,
                  "Seconds after which no further configuration is tried; default: none")
      .check(positive(1e6));
  line.add_option("--evaluations N", c.evaluations, "Configurations that are tried at most")
      .check(integer(1, largest_setting));
  line.add_option(
          "--objective O", c.objective,
          "What is to be short: time (the default), or cold: of single calls with inputs and "
          "outputs in no cache")
      .one_of(objective_names);
  line.add_option("--direction D", c.direction,
                  "What is tuned: fwd (the default), a solution's run; bwd, its vjp; or fwd+bwd, "
                  "fwd_with_residuals and vjp together; see docs/gradients.md")
      .one_of(direction_names);
  line.add_option("--contest S", c.contest_seconds,
                  "Seconds in which the fastest are compared with the heuristic's; default 3")
      .check(positive(1e6));
}

}  // namespace

void declare_tuning(CommandLine line, TuneCommand& c) {
  line.add_option("definition DEFINITION...", c.run.selection.definitions,
                  "Definitions (exactly, else by unique prefix) whose solutions are tuned")
      .required();
  declare_search(line, c);
  line.add_flag("--dry-run", c.dry_run, "Say what would be tried, and try nothing");
  line.add_flag("--force", c.force, "Tune again what was tuned before");
  declare_format(line, c.format);
  line.add_option("--import FILE", c.import,
                  "A cache file of Kernel Tuner or T4 results: its configurations are tried first, "
                  "the fastest there before all others; of their times nothing is believed")
      .existing_file();
  line.add_option("--html FILE", c.html, "Write a page with pictures of the searches");
  declare_tune_options(line, c.run);
}

}  // namespace kbench
