// Finds the configuration with which a Solution is fastest on a workload: builds what a strategy
// asks for, lets through what answers right, and races these. docs/tuning.md
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
  ContestRule contest;        // of the fastest and the heuristic's
  double budget_seconds = 0;  // of the search, 0: as long as it takes; the contest has its own
  std::size_t finalists = 3;
};

// A configuration that was tried.
struct TuneRow {
  Configuration configuration;
  Status status = Status::passed;
  std::string cause;                // why it is out of the race
  std::vector<double> samples_ns;   // of the race; nanoseconds a call
  bool is_finalist = false;         // it was in the contest
  std::optional<double> median_ns;  // there
  std::optional<double> p10_ns;
  std::optional<Compared> against;  // the heuristic's, there: FASTER means that this one is

  // The shortest sample; nothing where it failed.
  std::optional<double> shortest_ns() const;
};

// What is known of the winner and the heuristic's.
enum class TuneDecision {
  beaten,  // the winner is faster
  tied,    // it is the heuristic's: none is surely faster
  only,    // the heuristic's cannot be used, or there is no other
  none,    // none can be used
};
std::string_view decision_name(TuneDecision decision);  // "beaten", …

struct TuneReport {
  std::size_t space = 0;                 // configurations that there are
  std::vector<TuneRow> rows;             // in the order in which they were tried
  std::optional<std::size_t> heuristic;  // rows
  std::optional<std::size_t> winner;
  TuneDecision decision = TuneDecision::none;
  SearchEnd end = SearchEnd::complete;
  std::size_t builds = 0;        // libraries, made or found in the cache
  std::uint64_t gate_calls = 0;  // of kernels, to judge them
  std::uint64_t race_calls = 0;  // and to time them
  double search_seconds = 0;
  double contest_seconds = 0;
};

// So far: rows tried, of how many, and the fastest.
using TuneProgress = std::function<void(const TuneReport& report)>;

// Whose configuration is to be found.
struct TuneSubject {
  const Solution& solution;  // without a configuration of its own
  const Tunables& tunables;
  const Space& space;
  StartContender start = {};  // as what a configuration is judged and timed; none: its run
};

TuneReport tune(const Workplace& place, const TuneSubject& subject, const TuneOptions& options,
                const TuneProgress& progress = {});

}  // namespace kbench
