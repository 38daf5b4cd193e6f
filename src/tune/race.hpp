// Race for the fastest of many, with as few calls as may be: one that is surely slower than the
// best is not called again. It has no clock and no device: samples come from its caller.
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
  double margin = 0.005;  // relative margin within which one is as good as the best
  // Margin while all its samples are of one load: the places of code and memory make a difference.
  double load_margin = 0.03;
  // Samples of each; those that are in then are not told apart.
  std::size_t most = 8;
  // Number of contestants in, at which the race is over.
  std::size_t enough = 1;
};

// Disturbances only ever make a call longer, so that the shortest of its samples speaks for each.
// One that is r times as slow as the best by these may still be as fast, if all of its k samples
// were disturbed by r or more: with the probability p(r)^k. p is estimated from all samples beside
// the shortest of the same contestant, and beyond the observed ones by a Pareto tail of index 2,
// which is heavy. One for which that is less than the error is out: a quiet machine needs a sample
// or two, and a noisy one takes more by itself.
//
// First calls of each load are made anyway, to judge their outputs. They start threads and touch
// memory for the first time, so they are longer by a probability of their own; where a call is long
// beside that, they spare a sample.
class Race {
 public:
  explicit Race(const RaceRule& rule) : rule_(rule) {}

  std::size_t add();                                // adds a contestant; its number, from 0 on
  void take(std::size_t one, double sample);        // adds its sample, positive
  void take_first(std::size_t one, double sample);  // adds that of the first call of a load
  // Drops a failed one. Those slower than a dropped leader are in until another proves faster.
  void drop(std::size_t one);

  // Returns the contestants to be called next: of those that are in, those with the fewest samples,
  // the fastest first, from which most is learnt of disturbances. An empty list ends the race.
  std::vector<std::size_t> next() const;
  bool is_in(std::size_t one) const { return !contestants_[one].is_out; }
  std::vector<std::size_t> remaining() const;

  // Returns the shortest of its samples, first calls among them; nullopt where there are none, or
  // where it failed.
  std::optional<double> shortest(std::size_t one) const;
  const std::vector<double>& samples(std::size_t one) const { return contestants_[one].samples; }
  std::size_t size() const { return contestants_.size(); }

  // Takes out those that are surely slower than the best; or this one alone, if it is.
  void settle();
  void settle(std::size_t one);
  // Takes in all that did not fail.
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

// Winner of a contest of configurations.

// Returns one of the contest's contenders, of each of which the shortest sample is given: the
// heuristic's, unless it is out; then one of those that are surely faster than it, by themselves or
// by way of others that they have put out. These are not told apart by all their samples; as in the
// race, the shortest is the least disturbed one.
std::size_t winner_of(const Contest& contest, std::span<const double> shortest_ns,
                      std::optional<std::size_t> heuristic);

}  // namespace kbench
