// Candidates that draw are called many times more: one draw says nothing about how they draw.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "exec/candidate_process.hpp"
#include "judge/prepare.hpp"
#include "verdict/draws.hpp"

namespace kbench {

// What was drawn in the calls of one candidate on one workload.
class SamplerTally {
 public:
  // A call on the trial's inputs, which are input set number `set`.
  void add(const Trial& trial, std::size_t set, std::span<const TensorView> outputs);

  bool is_empty() const { return tallies_.empty(); }
  std::size_t draws() const;
  // What no honest sampler does; "": nothing. `names` are the outputs'.
  std::string wrong(std::span<const std::string> names) const;

 private:
  std::map<std::size_t, DrawTally> tallies_;  // by output
};

// How long: at least `least` calls, then until the budget is spent, and longer where there are not
// enough draws yet: by these one of 32 lanes is seen that is drawn half as often. At most `most`
// calls.
struct DrawEffort {
  int least = 100;
  int most = 20'000;
  double budget_seconds = 1.5;
  std::size_t enough = 16'384;
  double most_seconds = 20;
};

// Whether an output of this trial is drawn.
bool is_sampler(const Trial& trial);

// Calls again and again on the inputs of the last trial; says so if a call fails.
std::optional<CandidateFailure> draw_again(CandidateProcess& process,
                                           const std::vector<Trial>& trials, SamplerTally& tally,
                                           const DrawEffort& effort = {});

}  // namespace kbench
