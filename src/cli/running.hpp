// What the commands that judge many workloads share.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "base/diagnostic.hpp"
#include "cli/run_options.hpp"
#include "cli/run_settings.hpp"
#include "evaluate/run.hpp"
#include "schema/config.hpp"

namespace kbench {

// ^C was pressed, once watch_interrupts() was called; a second one ends the program.
const std::atomic<bool>& interrupted();
void watch_interrupts();
// Whether there is nothing in hand that an interrupt would have to wait for.
void set_idle(bool is_idle);

// What is wrong with a definition's reference is found with each of its workloads, and said once.
class ReportPrinter {
 public:
  void print(const Diagnostics& reports);

 private:
  std::set<std::string> printed_;
};

// The sum of two parts of a run.
void add(RunTotals& totals, const RunTotals& part);

// Gives `body` the settings, once caches and isolation are settled as the command line asks; its
// exit status, or that of what is wrong, which is printed.
int with_settings(RunCommand& command,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body);

// Whether traces can be written below `out` ("": nowhere); if not, that is reported. Judging takes
// long: what would stop it at the first record is found before.
bool can_write(const std::filesystem::path& out, Diagnostics& reports);

// kbench run (run.cpp), and what judges as it does.
int run(RunCommand& command);

// What the command line says of how to judge. Nothing is written anywhere yet.
RunOptions run_options_of(const RunCommand& command, const RunConfig& config);

}  // namespace kbench
