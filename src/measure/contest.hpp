// Candidates timed in turn, until it is known which is faster. No clock of its own (sampling.hpp).
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "measure/comparison.hpp"
#include "measure/sampling.hpp"

namespace kbench {

struct ContestRule {
  PaceRule pace{25'000};  // samples of half the length: several are taken at a time
  CompareRule compare;    // its error is that of the whole contest
  // Budget, loads included; what is not known then stays undecided, but for is_spent(). Those that
  // are left have it anew where one is put out: what a slow one took is not theirs.
  double budget_ns = 3e9;
};

// Tells whether a contest ends undecided when its budget was spent so many times: as many meetings
// as an answer needs at least are held, unless that takes ten budgets; a hundred where all meetings
// so far `agree` and these will do.
bool is_spent(double budgets, std::size_t meetings, std::size_t fewest, bool agree);

// Findings of a contest. Every two contenders are compared while both are in it.
class Contest {
 public:
  Contest(std::size_t contenders, const CompareRule& rule);

  // ln of the times of `second` and `first` in one meeting, first < second: their difference.
  void add(std::size_t first, std::size_t second, double log_ratio);
  // Takes out whoever is slower than one that is in. True when nothing is left to be found: one is
  // in, or all that are in are the same.
  bool settle();

  std::size_t how_many_are_in() const;
  // Tells whether there are but two, and every meeting speaks for the same answer.
  bool agrees() const { return count_ == 2 && pair(0, 1).agrees(); }
  // Tells whether another one is faster: it is not timed any more.
  bool is_out(std::size_t contender) const { return out_[contender]; }
  // Compares `second` with `first`: FASTER means that the second one is.
  Compared compare(std::size_t first, std::size_t second) const;

 private:
  Comparison& pair(std::size_t first, std::size_t second);  // first < second
  const Comparison& pair(std::size_t first, std::size_t second) const;

  std::size_t count_;
  std::vector<Comparison> pairs_;
  std::vector<bool> out_;
};

struct Contested {
  std::vector<Sampled> taken;  // samples of all meetings, for each
  Contest contest;
  bool is_budget_spent = false;
};

// Loads every contender that is in anew and gives its epochs, of the others nothing; no value where
// a load failed. Earlier loads are not used any more.
using LoadAll = std::function<std::optional<std::vector<RunEpochs>>(const Contest& contest)>;

// Places of code, stack and tensors change a kernel's time by a percent, for as long as it is
// loaded. A meeting is therefore of fresh loads, and gives one log ratio: the median of a few
// rounds, two by two in a random order and its reverse (ABBA or BAAB of two). Drift, and what one
// leaves behind for the next, weighs on all alike. A turn of short calls is the median of a few
// samples: most disturbances hit one of them. Nothing where a call or a load failed.
std::optional<Contested> contest(std::size_t contenders, const LoadAll& load,
                                 const ContestRule& rule, const Clock& now,
                                 std::mt19937_64& random);

}  // namespace kbench
