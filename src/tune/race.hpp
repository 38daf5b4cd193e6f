// Which of many is fastest, with as few calls as may be: whoever is surely slower than the best is
// not called again. No clock and no device: samples come from whoever calls.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measure/contest.hpp"

namespace kbench {

struct RaceRule {
  // Probability that one which is as fast as the best is taken out by samples that were disturbed.
  double error = 0.001;
  double margin = 0.005;  // who is within it of the best is as good
  // The margin while all its samples are of one load: where code and memory lie makes a difference.
  double load_margin = 0.03;
  // Samples of each; those that are in then are not told apart.
  std::size_t most = 8;
  // It is over when no more than these are in.
  std::size_t enough = 1;
};

// Disturbances only ever make a call longer, so that the shortest of its samples speaks for each.
// One that is r times as slow as the best by these may still be as fast, if all of its k samples
// were disturbed by r or more: with the probability p(r)^k. p is estimated from all samples beside
// the shortest of the same contestant, and beyond what was seen by a Pareto tail of index 2, which
// is heavy. Where that is less than the error it is out. So on a quiet machine a sample or two are
// enough, and on a noisy one more are taken by itself.
//
// The first call of each load is made anyway, to judge what it leaves. It starts threads and
// touches memory for the first time, so it is longer by a probability of its own; where a call is
// long beside that, it spares a sample.
class Race {
 public:
  explicit Race(const RaceRule& rule) : rule_(rule) {}

  std::size_t add();                                // a contestant; its number, from 0 on
  void take(std::size_t one, double sample);        // its sample, positive
  void take_first(std::size_t one, double sample);  // of the first call of a load
  // It failed. Where it was the fastest, whoever was slower than it has to be slower than another.
  void drop(std::size_t one);

  // Returns the contestants to be called next: of those that are in, those with the fewest samples,
  // the fastest first, from which most is learnt of disturbances. Nothing when it is over.
  std::vector<std::size_t> next() const;
  bool is_in(std::size_t one) const { return !contestants_[one].is_out; }
  std::vector<std::size_t> remaining() const;

  // The shortest of its samples, first calls among them; nothing where there are none, or where it
  // failed.
  std::optional<double> shortest(std::size_t one) const;
  const std::vector<double>& samples(std::size_t one) const { return contestants_[one].samples; }
  std::size_t size() const { return contestants_.size(); }

  // Takes out whoever is surely slower than the best; and this one alone, if it is.
  void settle();
  void settle(std::size_t one);
  // All that did not fail are in.
  void readmit();

 private:
  struct Contestant {
    std::vector<double> samples, firsts;
    double shortest = 0;
    bool is_out = false;
    bool failed = false;
  };
  using Samples = std::vector<double> Contestant::*;

  void note(std::size_t one, Samples kind, double sample);
  std::optional<std::size_t> leader() const;
  bool is_surely_slower(const Contestant& one, double fastest) const;
  double chance_of_disturbance(double ratio, Samples kind) const;

  RaceRule rule_;
  std::vector<Contestant> contestants_;
};

// Who wins a contest of configurations.

// One of the contest's contenders, of each of which the shortest sample is given. The heuristic's,
// unless it is out; then one of those that are surely faster than it, by themselves or by way of
// others that they have put out. These are not told apart by all their samples; as in the race, the
// shortest is the least disturbed one.
std::size_t winner_of(const Contest& contest, std::span<const double> shortest_ns,
                      std::optional<std::size_t> heuristic);

}  // namespace kbench
