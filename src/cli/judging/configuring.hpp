// Options that say which configuration Solutions have, and what they say to a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/configurator.hpp"
#include "judge/job.hpp"
#include "tune/configured_jobs.hpp"

namespace kbench {

class CommandLine;

struct ConfiguringOptions {
  std::optional<std::string> cfg;     // "BLOCK=128,VEC=4"
  std::vector<std::string> overlays;  // files; the last counts first
  std::string policy = "tuned";
  double tune_seconds = 60;  // of each search of the policy autotune
  std::string events;        // a file, "-" for stderr; "": nowhere
};

void declare_configuring(CommandLine line, ConfiguringOptions& options);
// Takes the policy autotune, and its option, from a command that does not tune.
void decline_tuning(CommandLine line);

// What they say. Mistakes are reported, and what they are of is left out. `is_kept`: what was tuned
// before may be looked up.
ConfiguringPlan configuring_plan(const ConfiguringOptions& options, int threads, bool is_kept,
                                 Diagnostics& reports);

}  // namespace kbench
