#include "cli/judging/configuring.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

// A file that is written as events come; each line is there at once.
SelectionEvents events_to(const std::string& path, Diagnostics& reports) {
  if (path.empty()) return {};
  if (path == "-") return [](const SelectionEvent& event) { tell(event_line(event)); };
  check_confined(path);
  auto file = std::make_shared<std::ofstream>(path, std::ios::trunc);
  if (!*file) {
    reports.error({path}, "--events: cannot be written");
    return {};
  }
  return [file](const SelectionEvent& event) { *file << event_line(event) << std::flush; };
}

void add_overlay(const std::string& path, ConfiguringPlan& plan, Diagnostics& reports) try {
  const Source source{path, read_file(path)};
  if (auto overlay = read_overlay(source, reports)) plan.overlays.push_back(*std::move(overlay));
} catch (const std::system_error& error) {
  reports.error({path}, fmt::format("--overlay: cannot be read: {}", error.code().message()));
}

}  // namespace

void declare_configuring(CommandLine line, ConfiguringOptions& options) {
  line.add_option("--cfg NAME=VALUE,...", options.cfg,
                  "Values of the parameters that solutions declare, before all that was tuned: "
                  "BLOCK=128,VEC=4; see docs/tuning.md");
  line.add_option(
          "--overlay FILE", options.overlays,
          "Configurations for certain calls, before those that were tuned; of several files "
          "the last counts first; see docs/tuned-store.md")
      .existing_file()
      .one_word();
  line.add_option("--cfg-policy POLICY", options.policy,
                  "Which configurations count: tuned (the default), and where none was the "
                  "heuristic; autotune: what was not tuned is tuned now; heuristic; or require: "
                  "what was tuned or nothing")
      .one_of(policy_names());
  line.add_option("--tune-budget S", options.tune_seconds,
                  "With --cfg-policy autotune: seconds after which a search tries no further "
                  "configuration; default 60")
      .check(positive(1e6));
  line.add_option("--events FILE", options.events,
                  "Write how configurations were chosen to a file, a line of JSON for each step; - "
                  "for stderr");
}

void decline_tuning(CommandLine line) {
  line.remove("--tune-budget");
  line.find("--cfg-policy")
      .doc(
          "Which configurations count: tuned (the default), and where none was the heuristic; "
          "heuristic; or require: what was tuned or nothing")
      .one_of({"tuned", "heuristic", "require"});
}

ConfiguringPlan configuring_plan(const ConfiguringOptions& options, int threads, bool is_kept,
                                 Diagnostics& reports) {
  ConfiguringPlan plan;
  plan.threads = threads;
  plan.policy = *find_policy(options.policy);
  if (options.cfg) {
    auto parsed = parse_configuration(*options.cfg);
    if (auto* values = std::get_if<Configuration>(&parsed))
      plan.chosen = std::move(*values);
    else
      reports.error({}, "--cfg: " + std::get<std::string>(parsed));
  }
  for (const std::string& path : options.overlays) add_overlay(path, plan, reports);
  plan.events = events_to(options.events, reports);
  if (is_kept)
    plan.store = std::make_shared<TunedStore>(
        tuned_root(), [](const std::string& message) { tell("warning: " + message + "\n"); });
  return plan;
}

}  // namespace kbench
