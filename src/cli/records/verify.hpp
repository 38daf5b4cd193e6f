// What `kbench verify` and `kbench replay` share: the options by which records are judged again.
#pragma once

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/records/evaluated.hpp"
#include "judge/replay.hpp"

namespace kbench {

class CommandLine;

// --root, --isolation, --no-cache
void declare_replay_options(CommandLine line, RunCommand& command);

// Nothing where the machine cannot hold solutions as is asked, which is reported.
std::optional<RunOptions> replay_options(RunCommand& command, Diagnostics& diagnostics);

// Events that report to `reports` and do nothing else.
RunEvents quiet_events(Diagnostics& reports);

// Errors, and unless --quiet warnings, on stderr.
void tell_reports(const Diagnostics& reports);

}  // namespace kbench
