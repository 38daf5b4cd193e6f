// The command line → manual pages, in roff: man(7). They say what --help says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/shell/command_model.hpp"

namespace kbench {

class CommandLine;

struct ManualPage {
  std::string file;  // "kbench-run.1"
  std::string text;
};

// Pages of the program and of each command. `date`: ISO 8601; `version`: kbench's.
std::vector<ManualPage> manual_pages(const ProgramModel& model, const std::string& date,
                                     const std::string& version);

// The command that writes them into a folder, which is made. Their date is today's, or that of
// SOURCE_DATE_EPOCH (reproducible-builds.org).
std::function<int()> declare_manuals(CommandLine line, const std::string& version);

}  // namespace kbench
