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

// What tells each file from what it was: base/file.hpp's file_identity().
using Stamps = std::map<std::string, std::string>;

// Returns the stamps of files, and of all files below folders; a file that is not there has none.
Stamps stamps_of(const std::vector<std::filesystem::path>& places);

// Files that are new, gone or another.
std::vector<std::string> changed(const Stamps& before, const Stamps& now);

// Waits until something is other than `before`, and nothing has changed for a while since; what it
// is then. `before` where `stop` came first.
Stamps wait_for_change(const std::vector<std::filesystem::path>& places, const Stamps& before,
                       const std::atomic<bool>& stop);

// kbench run --watch: the programs that were the last to pass, to time those in turn with that pass
// now.
class LastGood {
 public:
  // How what passes now and is another program compares with what passed before: A with B.
  ComparisonReport compare(const Plan& plan, const std::vector<Trace>& verdicts,
                           const RunCommand& command, const Settings& settings) const;

  // What passed on all that it was judged on takes the place of what did before.
  void note(const Plan& plan, const std::vector<Trace>& verdicts);

 private:
  std::vector<TraceSet> sets_;  // for each target, its solutions alone
};

}  // namespace kbench
