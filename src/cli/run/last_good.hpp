// kbench run --watch: the programs that were the last to pass, to time those in turn with that pass
// now.
#pragma once

#include <vector>

#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/run/run_plan.hpp"
#include "report/comparison.hpp"

namespace kbench {

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
