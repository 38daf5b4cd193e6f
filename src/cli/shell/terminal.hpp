// The global options and the terminal: the only code that asks what stdout and stderr are, and that
// hears ^C.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace kbench {

struct GlobalOptions {
  std::string_view colour = "auto";  // auto, always, never
  bool quiet = false;
  bool verbose = false;
  std::string_view errors = "text";  // "text" or "json"
};

// Fills what terminal() gives; NO_COLOR, TERM=dumb and COLUMNS are respected.
void set_terminal(const GlobalOptions& options);

// Tells whether a program for agents reads stdout: it is no terminal, and AI_AGENT, CLAUDECODE or
// CODEX_SANDBOX is set.
bool is_read_by_agent();

// Writes to stdout. A reader that went away (`kbench list | head`) ends the program quietly.
void print(std::string_view text);

// Writes to stderr, unless quiet.
void tell(std::string_view text);

// Prints what was found while a command runs.

// Writes one to stderr: as text, or with --errors json as an object on a line of its own.
void say(const Diagnostic& diagnostic);
// An error of no file: as text it begins with the name of the command.
void say_error(std::string_view command, std::string_view message, std::string_view hint = "");

// Printer that says once what is found with each workload, as mistakes of a definition's reference.
class ReportPrinter {
 public:
  void print(const Diagnostics& reports);

 private:
  std::set<std::string> printed_;
};

// Writes them to stderr; returns exit_input where one is an error, else `otherwise`. An `otherwise`
// of exit_environment (a product could not be written) is always returned.
int exit_after(const Diagnostics& diagnostics, int otherwise);

// ^C was pressed, once watch_interrupts() was called; a second one ends the program.
const std::atomic<bool>& interrupted();
void watch_interrupts();
// Stops what is judged as an interrupt would, and says nothing.
void stop_work();
// Tells it whether nothing is in hand that an interrupt would have to wait for.
void set_idle(bool is_idle);

}  // namespace kbench
