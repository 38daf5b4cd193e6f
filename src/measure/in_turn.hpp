// Two that are timed in turn, so that the ratio of their times is measured, and not divided from
// what was taken at different times. No clock of its own (sampling.hpp).
#pragma once

#include <functional>
#include <optional>
#include <random>

#include "measure/comparison.hpp"
#include "measure/sampling.hpp"

namespace kbench {

// A process that was just started meets most of its pages for the first time: calls of so long do
// not count.
constexpr double first_calls_ns = 2e6;

struct InTurnRule {
  // The rule of each. The budget is of both together.
  SamplingRule sampling;
  double error = 0.01;  // probability that the ratio's interval misses it, however often one looks
  double width = 0.02;  // of that interval, of the log ratio, at which there are enough rounds
  // When the budget is spent this width is enough; else, or where too few rounds are undisturbed,
  // rounds go on for so many budgets, or for `most_budgets` where there are too few in all.
  double fair_width = 0.1;
  double fair_budgets = 25;
  double most_budgets = 100;
  std::size_t exactly = 0;  // not 0: so many rounds
  // Is called after each round: whether nobody else had part of a core meanwhile.
  std::function<bool()> each_round = [] { return true; };
};

// One turn of each.
struct TurnPair {
  double log_ratio = 0;  // ln(time of the second / time of the first)
  bool is_undisturbed = true;
};

// The log ratios of the undisturbed rounds; of all, where there are less than `least` of those.
std::vector<double> telling_ratios(const std::vector<TurnPair>& rounds, std::size_t least);

struct InTurn {
  Sampled first, second;
  std::vector<TurnPair> rounds;
  Stop stop = Stop::budget;
};

// Rounds in which each has one turn, in an order drawn anew: what drifts weighs on both alike.
// Nothing where a call failed.
std::optional<InTurn> take_in_turn(const RunEpochs& first, const RunEpochs& second,
                                   const InTurnRule& rule, const Clock& now,
                                   std::mt19937_64& random);

// Calls that take alike have as many in a sample: what surrounds them weighs the same then.
bool are_alike(double call_ns, double other_ns);

}  // namespace kbench
