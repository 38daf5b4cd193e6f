// Times of a solution's starts beside those of its reference: the latency and the speed-up of a
// record, each with an interval; and beside what this machine could do at best.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "judge/prepare.hpp"
#include "judge/timed_reference.hpp"
#include "measure/machine/peaks.hpp"
#include "measure/machine/state.hpp"
#include "measure/statistics.hpp"
#include "schema/details.hpp"

namespace kbench {

// Gathers what the starts, or the audited calls, of one evaluation say of both. It holds the
// machine's timing turn meanwhile.
class BesideReference {
 public:
  BesideReference(const PreparedWorkload& workload, const EvaluateOptions& options,
                  const CandidatePlan& candidate);

  // Times one start of the solution, in turn with one of the reference's where there is a
  // reference. Nothing where a call of the solution failed.
  std::optional<Sampled> take_start(Judgement& candidate, const SamplingRule& alone);
  // Tells whether one more is worth its time: code, stack and tensors lie elsewhere in each, which
  // changes a short call's time by percents, and what runs beside them changes meanwhile.
  bool wants_start() const;
  // Audits the reference on the inputs that the candidate was audited on just now; and takes what
  // the candidate's audited calls took.
  void audit(const Trial& trial);
  void end_audit(const std::vector<double>& candidate_ns);
  // Times the reference by itself.
  void take_alone();

  double reference_median_ns() const { return median_of(reference_ns_); }  // 0: it was not timed

  // Writes what is known in the end into the record of the candidate's time.
  void describe(Timing& timing) const;

 private:
  void give_up();
  std::optional<Sampled> take_in_turn_with(TimedReference& reference, Judgement& candidate);
  std::size_t fewest_starts() const;
  bool has_fixed_starts() const;
  SpeedupRecord speedup() const;

  const PreparedWorkload& workload_;
  const EvaluateOptions& options_;
  TimedReferences::Found found_;
  FastestStart fastest_;  // the solution's
  TimingTurn turn_;
  std::mt19937_64 random_;
  std::optional<Pace> pace_;                           // the candidate's
  double begin_ns_ = 0;                                // begin of its first start
  std::int64_t pairs_ = 0;                             // number of turns or calls
  std::vector<StartValue> log_ns_, reference_log_ns_;  // one a start
  std::vector<double> reference_ns_;                   // all samples of it
};

// Returns an interval as records hold it.
std::optional<std::vector<double>> ends_of(const std::optional<Interval>& interval);

// Demand of a call on the machine by a solution that is allowed `threads` threads.
Demand demand_of(const PreparedWorkload& workload, int threads, bool is_cold);

// Returns the roofline of a timing. A p10 below Roofline::least_ns has the machine measured once
// more first: others may have slowed it when it was measured.
Roofline roofline_of(const PreparedWorkload& workload, const MeasuredPeaks& measured,
                     const Timing& timing);

}  // namespace kbench
