// Parts that the commands which judge many workloads share.
#pragma once

#include <filesystem>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/run.hpp"
#include "schema/config.hpp"

namespace kbench {

// The sum of two parts of a run.
void add(RunTotals& totals, const RunTotals& part);

// Tells whether traces can be written below `out` ("": nowhere), and reports where not. Judging
// takes long: a fault that would stop it at the first record is found before.
bool can_write(const std::filesystem::path& out, Diagnostics& reports);

// The events of a command with a line of progress: what is reported is printed, and `has_errors`
// becomes true where an error is.
RunEvents progress_events(ReportPrinter& printer, bool& has_errors);

// Options for judging by the command line. Nothing is written anywhere yet.
RunOptions run_options_of(const RunCommand& command, const RunConfig& config);

}  // namespace kbench
