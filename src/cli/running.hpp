// What the commands that judge many workloads share.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "base/diagnostic.hpp"
#include "cli/run_options.hpp"
#include "evaluate/run.hpp"
#include "schema/config.hpp"

namespace kbench {

// ^C was pressed, once watch_interrupts() was called; a second one ends the program.
const std::atomic<bool>& interrupted();
void watch_interrupts();

// What is wrong with a definition's reference is found with each of its workloads, and said once.
class ReportPrinter {
 public:
  void print(const Diagnostics& reports);

 private:
  std::set<std::string> printed_;
};

// What the command line says of how to judge. Nothing is written anywhere yet.
RunOptions run_options_of(const RunCommand& command, const RunConfig& config);

}  // namespace kbench
