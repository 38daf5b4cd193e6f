// The verdict on outputs of one input set: by the rule and the Definition's own check(), by what a
// call has left of the poison in them, and, of drawn ones, by many calls.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/poisoned_outputs.hpp"
#include "judge/prepare.hpp"
#include "schema/config.hpp"
#include "verdict/draws.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

// Judges the outputs of a trial. The detail names a structured set, which has no evidence: inputs
// of another kind are not added up with random ones.
Verdict trial_verdict(const VerdictRule& rule, const Problem& problem, const ResolvedConfig& config,
                      const Trial& trial, const std::vector<TensorView>& outputs);

// Says what was not written; "": all was. A right element of outputs that passed may look like the
// pattern, but for two kinds: a byte that is no bool counts as true, and a NaN passes where the
// answer is one; the latter is looked at where `standards` say by what the outputs were judged.
std::string unwritten_cause(const PoisonedOutputs& memory, bool passed,
                            std::span<const Standard> standards = {});

// Tally of what was drawn in the calls of one candidate on one workload: one draw says nothing
// about how it draws.
class SamplerTally {
 public:
  // A call on the trial's inputs, which are input set number `set`.
  void add(const Trial& trial, std::size_t set, std::span<const TensorView> outputs);

  bool is_empty() const { return tallies_.empty(); }
  std::size_t draws() const;
  // Finds what no honest sampler does; "": nothing. `names` are the outputs'.
  std::string wrong(std::span<const std::string> names) const;

 private:
  std::map<std::size_t, DrawTally> tallies_;  // keys: numbers of outputs
};

// Length of drawing: `least` calls, then until the budget is spent, and up to most_seconds where
// there are not enough draws yet: these show one of 32 lanes that is drawn half as often. `most`
// calls are the limit.
struct DrawEffort {
  int least = 100;
  int most = 20'000;
  double budget_seconds = 1.5;
  std::size_t enough = 16'384;
  double most_seconds = 20;
};

// Tells whether an output of this trial is drawn.
bool is_sampler(const Trial& trial);

// Calls again and again on the inputs of the last trial; says so if a call fails.
std::optional<CandidateFailure> draw_again(CandidateProcess& process,
                                           const std::vector<Trial>& trials, SamplerTally& tally,
                                           const DrawEffort& effort = {});

}  // namespace kbench
