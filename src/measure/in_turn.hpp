// Two that are timed in turn, so that the ratio of their times is measured, and not divided from
// what was taken at different times. No clock of its own (sampling.hpp).
#pragma once

#include <optional>
#include <random>

#include "measure/sampling.hpp"
#include "measure/statistics.hpp"

namespace kbench {

struct InTurnRule {
  PaceRule pace;
  double budget_ns = 5e6;     // budget of the turns of both together: as many rounds as fit
  std::size_t fewest = 5;     // rounds, whatever they take; 3 where they take 50 ms and more
  std::size_t most = 50;      // rounds, however short they are
  std::size_t exactly = 0;    // number of rounds, of one sample each; 0: as many as fit
  std::uint32_t warmups = 0;  // calls of each before its first turn, at least
};

// One of the two. A start of a program that was timed before knows its pace.
struct TimedSide {
  RunEpochs run;
  std::optional<Pace> pace = {};
};

// The measurement of one start of each.
struct InTurn {
  Sampled first, second;
  StartTurns first_log_ns, second_log_ns;  // one a round, without the null call
};

// Rounds in which each has one turn, in an order drawn anew: what drifts weighs on both alike.
// Nothing where a call failed.
std::optional<InTurn> take_in_turn(const TimedSide& first, const TimedSide& second,
                                   const InTurnRule& rule, std::mt19937_64& random);

// Calls that take alike have as many in a sample: what surrounds them weighs the same then.
bool are_alike(double call_ns, double other_ns);

}  // namespace kbench
