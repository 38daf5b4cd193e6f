// kbench run --watch: the files that verdicts rest on.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/run/run_plan.hpp"
#include "report/comparison.hpp"

namespace kbench {

// Stamps that tell each file from what it was: base/file.hpp's file_identity().
using Stamps = std::map<std::string, std::string>;

// Returns the stamps of files, and of all files below folders; a file that is not there has none.
Stamps stamps_of(const std::vector<std::filesystem::path>& places);

// Files that are new, gone or another.
std::vector<std::string> changed(const Stamps& before, const Stamps& now);

// Waits until something is other than `before`, and nothing has changed for a while since. Returns
// the stamps of then, `before` where `stop` came first.
Stamps wait_for_change(const std::vector<std::filesystem::path>& places, const Stamps& before,
                       const std::atomic<bool>& stop);

// kbench run --watch: the programs that were the last to pass, to time those in turn with that pass
// now.
class LastGood {
 public:
  // Compares programs that passed before (A) with those that pass now (B), where they differ.
  ComparisonReport compare(const Plan& plan, const std::vector<Trace>& verdicts,
                           const RunCommand& command, const Settings& settings) const;

  // Keeps solutions that passed on all that they were judged on, in the place of earlier ones.
  void note(const Plan& plan, const std::vector<Trace>& verdicts);

 private:
  std::vector<TraceSet> sets_;  // solutions alone, one set a target
};

}  // namespace kbench
