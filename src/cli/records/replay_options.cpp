#include "cli/records/replay_options.hpp"

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"

namespace kbench {

void declare_replay_options(CommandLine line, RunCommand& c) {
  line.add_option("--root", c.root, "The trace set with definitions and solutions").text("DIR");
  line.add_option("--isolation", c.isolation,
                  "How solutions are held: A, B, C or auto (the default), as in kbench run")
      .one_of({"A", "B", "C", "auto"})
      .text("LEVEL");
  line.add_flag("--no-cache", c.no_cache, "Build and evaluate anew");
}

std::optional<RunOptions> replay_options(RunCommand& c, Diagnostics& diagnostics) {
  if (!c.no_cache && !(c.caches = user_caches())) return std::nullopt;
  if (!(c.held_at = isolation_for(c, diagnostics))) return std::nullopt;
  RunOptions options = machine_options(c);
  options.configurator = std::make_shared<ConfiguredJobs>(
      ConfiguringPlan{.policy = SelectionPolicy::heuristic, .threads = threads_for(c)});
  return options;
}

RunEvents quiet_events(Diagnostics& reports) {
  RunEvents events;
  events.reported = [&reports](const Diagnostics& more) { reports.append(more); };
  return events;
}

void tell_reports(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool is_warning = report.level == Level::warning && !terminal().quiet;
    if (is_warning || report.level == Level::error) say(report);
  }
}

}  // namespace kbench
