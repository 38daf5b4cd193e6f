// Settings of `kbench run`: its options, above a file of settings.
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
  std::optional<Source> file;  // file of --config
};

// Returns nothing when the file is wrong, which is reported.
std::optional<Settings> settings_of(const RunCommand& command, Diagnostics& diagnostics);

// Tells whether the engine can do what else is asked for; reports what it cannot.
bool check_engine(const RunCommand& command, const Settings& settings, Diagnostics& diagnostics);

// The command line's selection, else that of the configuration.
Selection selection_of(const RunCommand& command, const Settings& settings);

// Preparation of every command that judges.

// Gives `body` the settings, once caches and isolation are settled as the command line asks;
// returns its exit status, or prints what is wrong and returns that status.
int with_settings(RunCommand& command,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body);

}  // namespace kbench
