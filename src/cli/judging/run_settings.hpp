// What `kbench run` is told: its options, above a file of settings.
#pragma once

#include <functional>
#include <optional>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "judge/job.hpp"
#include "schema/config.hpp"

namespace kbench {

struct RunCommand;

struct Settings {
  RunConfig config;            // the file's, the command line's above
  std::optional<Source> file;  // what --config names
};

// Nothing when the file is wrong, which is reported.
std::optional<Settings> settings_of(const RunCommand& command, Diagnostics& diagnostics);

// Whether the engine can do what else is asked for; what it cannot is reported.
bool check_engine(const RunCommand& command, const Settings& settings, Diagnostics& diagnostics);

// What the command line selects, else the configuration.
Selection selection_of(const RunCommand& command, const Settings& settings);

// What every command that judges does before it begins.

// Gives `body` the settings, once caches and isolation are settled as the command line asks; its
// exit status, or that of what is wrong, which is printed.
int with_settings(RunCommand& command,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body);

}  // namespace kbench
