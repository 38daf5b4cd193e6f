#include "cli/replay_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A folder that `kbench run --out` wrote has traces/ alone: its files stand for it.
std::vector<std::string> with_files_of_outputs(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (is_trace_set(path) || !fs::is_directory(fs::path(path) / "traces", error))
      out.push_back(path);
    else
      for (std::string& file : trace_files(path)) out.push_back(std::move(file));
  }
  return out;
}

}  // namespace

std::vector<FoundRecord> find_evaluated(const std::vector<std::string>& paths,
                                        const std::string& root, std::vector<Target>& targets,
                                        Diagnostics& diagnostics) {
  targets = load_targets(with_files_of_outputs(paths), root, true, diagnostics);
  std::vector<FoundRecord> found;
  for (const Target& target : targets) {
    for (const auto& stored : target.from_files ? target.workloads : target.set.traces) {
      if (stored.record.evaluation && stored.record.solution)
        found.push_back({&target.set, &stored});
    }
  }
  return found;
}

void declare_replay_options(CLI::App& app, RunCommand& c) {
  app.add_option("--root", c.root, "The trace set with definitions and solutions")
      ->option_text("DIR");
  app.add_option("--isolation", c.isolation,
                 "How solutions are held: A, B, C or auto (the default), as in kbench run")
      ->check(CLI::IsMember({"A", "B", "C", "auto"}))
      ->option_text("LEVEL");
  app.add_flag("--no-cache", c.no_cache, "Build and evaluate anew");
}

std::optional<RunOptions> replay_options(RunCommand& c, Diagnostics& diagnostics) {
  if (!c.no_cache && !(c.caches = user_caches())) return std::nullopt;
  if (!(c.held_at = isolation_for(c, diagnostics))) return std::nullopt;
  return machine_options(c);
}

RunEvents quiet_events(Diagnostics& reports) {
  RunEvents events;
  events.planned = [](std::size_t) {};
  events.started = [](const Job&, const Solution&) {};
  events.abandoned = [](const Job&) {};
  events.reported = [&reports](const Diagnostics& more) { reports.append(more); };
  return events;
}

std::string record_name(const Stored<Trace>& stored) {
  const Trace& trace = stored.record;
  return fmt::format("{}:{}: {} {} {}", stored.path, stored.line, trace.definition,
                     trace.workload.uuid, *trace.solution);
}

void tell_reports(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    if (report.level == Level::error)
      fmt::print(stderr, "{}", render(report, terminal().colour_err));
    if (report.level == Level::warning) tell(render(report, terminal().colour_err));
  }
}

}  // namespace kbench
