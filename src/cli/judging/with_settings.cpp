#include "cli/judging/with_settings.hpp"

#include <memory>
#include <utility>

#include "cli/judging/tuning.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/report_printer.hpp"

namespace kbench {
namespace {

// That no configuration of a solution can be used is a negative verdict, though the heuristic's may
// have served.
int with_untuned(int status, bool is_untuned) {
  return is_untuned && (status == exit_good || status == exit_undecided)
             ? static_cast<int>(exit_negative)
             : status;
}

}  // namespace

int with_settings(RunCommand& c,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body) {
  if (!c.no_cache && !(c.caches = user_caches())) return exit_input;
  Diagnostics reports;
  if (!(c.held_at = isolation_for(c, reports))) {
    ReportPrinter().print(reports);
    return exit_environment;
  }
  const auto settings = settings_of(c, reports);
  const std::size_t before = reports.errors();
  c.configuration = configuring_plan(c.configuring, threads_for(c), c.caches.has_value(), reports);
  // What is fastest for warm calls need not be for these.
  if (c.options.judge.cold) c.configuration.purpose.objective = "cold";
  const auto is_good = [&] { return settings && reports.errors() == before; };
  if (is_good()) c.options.stages = shown(trace_events_to(c.stamps.trace_events, reports));
  if (!is_good()) {
    ReportPrinter().print(reports);
    return exit_input;
  }
  const auto is_untuned = std::make_shared<bool>(false);
  if (c.configuration.policy == SelectionPolicy::autotune)
    c.configuration.tune_now = tuning_now(c, settings->config, is_untuned);
  const int status = body(*settings, std::move(reports));
  c.options.stages = {};  // ends the file
  return with_untuned(status, *is_untuned);
}

}  // namespace kbench
