// Options that a program may lose together: a lane's, a thread's, a block's. Their indices lie
// neither side by side nor among the most likely ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kbench {

// Option i is in group (i / step) % groups.
struct Grouping {
  std::size_t step = 1, groups = 2;

  std::size_t group_of(std::size_t i) const { return i / step % groups; }
};

// Returns the groupings of so many options: every second one, lanes of 32 that take turns with 4
// options each, pieces as long as one of 1024 threads may have, …
std::vector<Grouping> groupings_of(std::size_t options);

// How well counts fit what is expected of them, by two tests.
struct GroupFit {
  double alone = 1;                // the probability of the most unlikely group, for all of them
  std::optional<double> together;  // by the G-test, where each group expects draws enough
  std::string what_alone, what_together;  // for people
};
GroupFit fit_of(const Grouping& grouping, std::span<const double> seen,
                std::span<const double> expected);

// A bound on the probability that of `draws` independent ones, of which `expected` hit on average,
// as few hit as `seen`, or as many: Chernoff's, which Hoeffding (1963, theorem 1) shows for unlike
// probabilities, too. Honest arithmetic may be a thousandth off, and one draw.
double hits_bound(double seen, double expected, double draws);

}  // namespace kbench
