// The global options and the terminal: the only code that asks what stdout and stderr are.
#pragma once

#include <string_view>

namespace kbench {

struct GlobalOptions {
  std::string_view colour = "auto";  // auto, always, never
  bool quiet = false;
  bool verbose = false;
  std::string_view errors = "text";  // or json
};

// Fills what terminal() gives; NO_COLOR, TERM=dumb and COLUMNS are respected.
void set_terminal(const GlobalOptions& options);

// Whether a program for agents reads stdout: it is no terminal, and AI_AGENT, CLAUDECODE or
// CODEX_SANDBOX is set.
bool is_read_by_agent();

// Writes to stdout. A reader that went away (`kbench list | head`) ends the program quietly.
void print(std::string_view text);

// Writes to stderr, unless quiet.
void tell(std::string_view text);

}  // namespace kbench
