// What a solution's time is beside its reference's: the record of its speed-up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/timed_reference.hpp"
#include "machine/timing_turn.hpp"
#include "measure/in_turn.hpp"
#include "measure/speedup.hpp"
#include "measure/statistics.hpp"
#include "schema/details.hpp"

namespace kbench {

// Gathers what the loads, or the audited calls, of one evaluation say of both. Where there is a
// reference it holds the machine's timing turn meanwhile.
class BesideReference {
 public:
  BesideReference(const PreparedWorkload& workload, const EvaluateOptions& options,
                  const CandidatePlan& candidate);

  // Whom the next samples are taken in turn with; nullptr: nobody.
  TimedReference* reference() const { return found_.reference; }

  // Where code, constants and memory came to lie changes a short call's time by percents, for as
  // long as it is loaded: that of several loads differs less, and says by how much.
  int loads() const;
  // One of them, in turn: the last one until enough is known. Nothing where a call failed: where it
  // was the reference's, it is nobody's turn any more.
  std::optional<Sampled> take_load(Judgement& candidate, bool is_last);
  // A pair of audited calls on the same inputs: the candidate's, and now the reference's.
  void audit(const Trial& trial, double candidate_ns);
  // The reference alone, for who has been timed among others.
  void take_alone();

  double reference_median_ns() const { return median_of(reference_ns_); }  // 0: it was not timed

  // What is known in the end, into the record of the candidate's time.
  void describe(Timing& timing) const;

 private:
  void look_at_load();
  void give_up();
  InTurnRule rule() const;
  std::vector<double> log_ratios() const;
  double disturbed() const;
  std::optional<Interval> loads_that_agree() const;
  Interval with_loads(Interval turns, double quickest_ns) const;
  std::optional<Interval> interval_of_pairs() const;
  SpeedupEvidence evidence(const Timing& timing) const;
  SpeedupRecord record(const Timing& timing) const;

  const PreparedWorkload& workload_;
  const EvaluateOptions& options_;
  int cores_;        // that can be used
  CoreSplit split_;  // the candidate's
  TimedReferences::Found found_;
  std::optional<TimingTurn> turn_;
  bool is_again_ = false;             // the first load has been
  std::vector<TurnPair> rounds_;      // the candidate is the first of both
  std::vector<double> of_loads_;      // their medians
  std::vector<double> reference_ns_;  // all samples of it
  std::vector<double> control_ns_;    // apart
  double running_ = 0;                // tasks that were seen
  int looks_ = 0;
};

}  // namespace kbench
