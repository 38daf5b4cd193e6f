// A subcommand: its options and its run. Each has a file, and its two lines in commands.cpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/shell/exit_status.hpp"

namespace kbench {

class CommandLine;

struct Command {
  std::string_view name;
  std::string_view doc;  // one line for the list of commands
  // Declares the arguments and returns what runs once they are parsed; nullptr where the
  // command has `verbs`, commands of its own (kbench kernels list).
  std::function<int()> (*declare)(CommandLine line);
  std::span<const Command> (*verbs)() = nullptr;
};

std::span<const Command> commands();
std::span<const Command> kernel_commands();  // the verbs of kbench kernels
std::span<const Command> tuned_commands();   // the verbs of kbench tuned

// Effect of the global options (-v, --quiet, --color), for every command.
struct Terminal {
  bool colour_out = false;  // shows colours on stdout
  bool colour_err = false;  // shows colours on stderr
  bool progress = false;    // stderr is a terminal, and neither -v nor -q was asked for
  bool quiet = false;
  bool verbose = false;
  bool errors_in_json = false;
  int width = 0;  // columns of stdout; 0: it is no terminal
};
const Terminal& terminal();

}  // namespace kbench
