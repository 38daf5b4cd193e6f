// Configurations of Solutions: options that say them, and the search for the one with which a
// Solution is fastest on a workload, which `kbench tune` and the policy autotune share.
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
  double tune_seconds = 60;  // budget of each search of the policy autotune
  std::string events;        // file, "-" for stderr; "": nowhere
};

void declare_configuring(CommandLine line, ConfiguringOptions& options);
// Takes the policy autotune, and its option, from a command that does not tune.
void decline_tuning(CommandLine line);

// Plan by these options; a wrong one is reported and left out. `is_kept`: results tuned before may
// be looked up.
ConfiguringPlan configuring_plan(const ConfiguringOptions& options, int threads, bool is_kept,
                                 Diagnostics& reports);

// Starter of configurations on a workload that was made ready; it returns nothing where they cannot
// be judged.
using StarterOn = std::function<std::optional<StartContender>(const Workplace& place)>;

// The trace set and workload of a search, and how it judges.
struct SearchPlace {
  const TraceSet& set;
  const Job& job;  // has the Solution alone
  RunOptions options;
  StarterOn starter = {};  // absent: each is run
};

// Wishes of the user for a search.
struct SearchWish {
  std::string_view strategy = "exhaustive";
  std::uint64_t seed = 0;
  double budget_seconds = 0;  // 0: no limit
  double contest_seconds = 3;
};

// Options of a search that ends when the program is interrupted. `objective`: "time" or "cold".
TuneOptions search_options(const SearchWish& wish, std::string_view objective);

struct SearchOutcome {
  std::optional<TuneReport> report;  // absent: the workload cannot be judged, which was said
  RunTotals totals;
};

// Prepares the workload and tunes there. `events` get what is reported.
SearchOutcome search_configurations(const SearchPlace& place, const TuneSubject& subject,
                                    const TuneOptions& how, const RunEvents& events,
                                    const TuneProgress& progress);

// "gemm: 12 of 64 configurations, best 1.2 ms with BLOCK=64", for a line of progress.
std::string search_progress(const std::string& solution, const TuneReport& so_far);

// The search of the policy autotune: as `kbench tune` makes it, within --tune-budget. `has_failed`
// becomes true where no configuration can be used. `command` must live as long.
TuneNow tuning_now(const RunCommand& command, const RunConfig& config,
                   std::shared_ptr<bool> has_failed);

// Shows how far it is as soon as it takes longer than half a second; an interrupt ends it.
SpaceWatch space_watch(const std::string& solution);

}  // namespace kbench
