// Another state of a trace set, whose solutions are timed in turn with those of this one: of kbench
// run --gate --base DIR, and of --watch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "report/gate.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// What of it cannot be read is warned of, and counts as if it were not there. Nothing where there
// is no trace set, which is reported.
std::optional<TraceSet> load_base(const std::string& folder, Diagnostics& reports);

struct HeldRun {
  TimedBase base;
  RunTotals totals;  // of the timing
};

// What a run has judged of a trace set.
struct Judged {
  const Target& target;
  const std::vector<Job>& jobs;
  const std::vector<Trace>& verdicts;
};

// What passed and is another program in the base is timed in turn with that, on the workloads and
// by the definition of now. The error of `rule` is that of all of it.
HeldRun hold_against(const TraceSet& base, const Judged& now, const RunCommand& command,
                     const Settings& settings, const ContestRule& rule);

}  // namespace kbench
