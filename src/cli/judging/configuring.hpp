// The configuration that Solutions have: options that say it, and the search for the one with which
// a Solution is fastest on a workload, which `kbench tune` and the policy autotune share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/configurator.hpp"
#include "judge/contender.hpp"
#include "judge/job.hpp"
#include "judge/run.hpp"
#include "schema/trace_set.hpp"
#include "tune/configured_jobs.hpp"
#include "tune/make_space.hpp"
#include "tune/tuner.hpp"

namespace kbench {

class CommandLine;
struct RunCommand;

struct ConfiguringOptions {
  std::optional<std::string> cfg;     // "BLOCK=128,VEC=4"
  std::vector<std::string> overlays;  // files; the last counts first
  std::string policy = "tuned";
  double tune_seconds = 60;  // of each search of the policy autotune
  std::string events;        // a file, "-" for stderr; "": nowhere
};

void declare_configuring(CommandLine line, ConfiguringOptions& options);
// Takes the policy autotune, and its option, from a command that does not tune.
void decline_tuning(CommandLine line);

// What they say. Mistakes are reported, and what they are of is left out. `is_kept`: what was tuned
// before may be looked up.
ConfiguringPlan configuring_plan(const ConfiguringOptions& options, int threads, bool is_kept,
                                 Diagnostics& reports);

// What starts configurations on a workload that was made ready; nothing where they cannot be
// judged.
using StarterOn = std::function<std::optional<StartContender>(const Workplace& place)>;

// The trace set and workload of a search, and how it judges.
struct SearchPlace {
  const TraceSet& set;
  const Job& job;  // of the Solution alone
  RunOptions options;
  StarterOn starter = {};  // left out: each is run
};

// What the user says of a search.
struct SearchWish {
  std::string_view strategy = "exhaustive";
  std::uint64_t seed = 0;
  double budget_seconds = 0;  // 0: as long as it takes
  double contest_seconds = 3;
};

// With these it ends when the program is interrupted. `objective`: "time" or "cold".
TuneOptions search_options(const SearchWish& wish, std::string_view objective);

struct SearchOutcome {
  std::optional<TuneReport> report;  // nothing: the workload cannot be judged, which was said
  RunTotals totals;
};

// Prepares the workload and tunes there. `events` get what is reported.
SearchOutcome search_configurations(const SearchPlace& place, const TuneSubject& subject,
                                    const TuneOptions& how, const RunEvents& events,
                                    const TuneProgress& progress);

// "gemm: 12 of 64 configurations, best 1.2 ms with BLOCK=64": for a line of progress.
std::string search_progress(const std::string& solution, const TuneReport& so_far);

// What the policy autotune does: a search as `kbench tune` makes it, within --tune-budget. Where no
// configuration can be used, `has_failed` becomes true. `command` must live as long.
TuneNow tuning_now(const RunCommand& command, const RunConfig& config,
                   std::shared_ptr<bool> has_failed);

// Shows how far it is as soon as it takes longer than half a second; an interrupt ends it.
SpaceWatch space_watch(const std::string& solution);

}  // namespace kbench
