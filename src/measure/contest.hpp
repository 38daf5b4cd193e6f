// Candidates timed in turn, until it is known which is faster. No clock of its own (sampling.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "measure/comparison.hpp"
#include "measure/sampling.hpp"

namespace kbench {

struct ContestRule {
  PaceRule pace;
  CompareRule compare;     // its error is that of the whole contest
  double budget_ns = 1e9;  // what is not known then stays undecided
};

// One of them.
struct Contender {
  Sampled taken;        // the samples of all rounds
  bool is_out = false;  // another one is faster: it was not timed any more
};

// What a contest has found. Every two of them are compared while both are in it.
class Contest {
 public:
  Contest(std::size_t contenders, const CompareRule& rule);

  // ln of each one's time a call in one round; nothing of those that are out.
  void add_round(std::span<const std::optional<double>> log_times);
  // Takes out whoever is slower than one that is in. True when nothing is left to be found: one is
  // in, or all that are in are the same.
  bool settle();

  bool is_out(std::size_t contender) const { return out_[contender]; }
  // How `second` compares with `first`: FASTER means that the second one is.
  Compared compare(std::size_t first, std::size_t second) const;

 private:
  Comparison& pair(std::size_t first, std::size_t second);  // first < second
  const Comparison& pair(std::size_t first, std::size_t second) const;

  std::size_t count_;
  std::vector<Comparison> pairs_;
  std::vector<bool> out_;
};

struct Contested {
  std::vector<Contender> contenders;
  Contest contest;
  bool is_budget_spent = false;
};

// In each round every contender that is in has its turn: a few samples, of which the quickest
// counts, since what disturbs a call only ever makes it longer. Two rounds are a block, the second
// in the reverse order of the first, which is random: ABBA or BAAB of two. So what drifts, and what
// one leaves behind for the next, weighs on all alike. Nothing where a call failed.
std::optional<Contested> contest(std::span<const RunEpochs> runs, const ContestRule& rule,
                                 const Clock& now, std::mt19937_64& random);

}  // namespace kbench
