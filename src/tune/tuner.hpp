// Tuner that finds the configuration with which a Solution is fastest on a workload: it builds
// those that a strategy asks for, admits those with right outputs, and races these. docs/tuning.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/run.hpp"
#include "kernels/registry/tunables.hpp"
#include "measure/contest.hpp"
#include "tune/race.hpp"
#include "tune/search.hpp"
#include "tune/space.hpp"

namespace kbench {

struct TuneOptions {
  const Strategy* strategy = nullptr;
  SearchOptions search;
  RaceRule race;
  ContestRule contest;        // rule for the fastest and the heuristic's
  double budget_seconds = 0;  // limit of the search, seconds; 0: none; the contest has its own
  std::size_t finalists = 3;
};

// Configuration that was tried.
struct TuneRow {
  Configuration configuration;
  Status status = Status::passed;
  std::string cause;                // reason why it is out of the race
  std::vector<double> samples_ns;   // samples of the race; nanoseconds a call
  bool is_finalist = false;         // it was in the contest
  std::optional<double> median_ns;  // median in the contest
  std::optional<double> p10_ns;
  std::optional<Compared> against;  // the heuristic's in the contest: FASTER means that this one is

  // Returns the shortest sample; nullopt where it failed.
  std::optional<double> shortest_ns() const;
};

// Relation of the winner to the heuristic's.
enum class TuneDecision {
  beaten,  // the winner is faster
  tied,    // it is the heuristic's: none is surely faster
  only,    // the heuristic's cannot be used, or there is no other
  none,    // none can be used
};
std::string_view decision_name(TuneDecision decision);  // names such as "beaten"

struct TuneReport {
  std::size_t space = 0;                 // number of configurations that there are
  std::vector<TuneRow> rows;             // rows in the order in which they were tried
  std::optional<std::size_t> heuristic;  // index of a row
  std::optional<std::size_t> winner;
  TuneDecision decision = TuneDecision::none;
  SearchEnd end = SearchEnd::complete;
  std::size_t builds = 0;        // libraries, made or found in the cache
  std::uint64_t gate_calls = 0;  // calls of kernels to judge them
  std::uint64_t race_calls = 0;  // calls of kernels to time them
  double search_seconds = 0;
  double contest_seconds = 0;
};

// Callback with the report so far: rows tried, of how many, and the fastest.
using TuneProgress = std::function<void(const TuneReport& report)>;

// Solution whose configuration is to be found.
struct TuneSubject {
  const Solution& solution;  // Solution without a configuration of its own
  const Tunables& tunables;
  const Space& space;
  StartContender start = {};  // start by which a configuration is judged and timed; none: its run
};

TuneReport tune(const Workplace& place, const TuneSubject& subject, const TuneOptions& options,
                const TuneProgress& progress = {});

}  // namespace kbench
