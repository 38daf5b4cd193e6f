// Another state of a trace set, whose solutions are timed in turn with those of this one, for
// kbench run --gate --base DIR, and for --watch.
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

// Loads another state; files of it that cannot be read are warned of, and count as if they were not
// there. Returns nothing where there is no trace set, which is reported.
std::optional<TraceSet> load_base(const std::string& folder, Diagnostics& reports);

struct HeldRun {
  TimedBase base;
  RunTotals totals;  // counts of the timing
};

// Verdicts of a run on a trace set.
struct Judged {
  const Target& target;
  const std::vector<Job>& jobs;
  const std::vector<Trace>& verdicts;
};

// Times each pair that passed, and is another program in the base, in turn with that, on the
// workloads and by the definition of now. The error of `rule` is that of all comparisons together.
HeldRun hold_against(const TraceSet& base, const Judged& now, const RunCommand& command,
                     const Settings& settings, const ContestRule& rule);

}  // namespace kbench
