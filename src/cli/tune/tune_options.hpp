// Options of kbench tune.
#pragma once

#include <string>

#include "cli/judging/run_options.hpp"

namespace kbench {

class CommandLine;

struct TuneCommand {
  RunCommand run;
  bool dry_run = false;
  bool force = false;
  std::string strategy = "exhaustive";
  std::string objective = "time";
  std::string direction = "fwd";
  double budget_seconds = 0;
  std::size_t evaluations = 0;  // limit; 0: as many as the strategy wants
  double contest_seconds = 3;
  std::string format = "table";
  std::string html;
  std::string import;  // file of a recorded search, whose configurations come first; "": none
};

void declare_tuning(CommandLine line, TuneCommand& command);

}  // namespace kbench
