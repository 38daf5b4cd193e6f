// Trust in a condition estimate that comes from a few perturbed runs. Some condition estimates
// among a million elements are small by chance alone, and their honest errors would look large.
// Elements beside each other therefore lend what they have in common to each of them: empirical
// Bayes for variances, Smyth, "Linear models and empirical Bayes methods for assessing differential
// expression", Stat. Appl. Genet. Mol. Biol. 3 (2004), with Student's t in place of the normal.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kbench {

// ψ(x) and ψ'(x), x > 0, to 1e-10; and x with ψ'(x) = y, y > 0.
double digamma(double x);
double trigamma(double x);
double inverse_trigamma(double y);

// Factor by which Student's t with `freedom` degrees needs a wider limit than the normal for the
// probability that the normal has beyond 6: to 2 % for 2 degrees and more.
double student_widening(double freedom);

class ModeratedCondition {
 public:
  // `condition` is √(mean of squares) over `runs` perturbed runs, element by element, in rows of
  // `row` elements (the last axis). Elements are pooled where they lie together: in rows, or in a
  // few thousand blocks of rows. `condition` must live as long as this.
  ModeratedCondition(std::span<const double> condition, int runs, std::size_t row);
  // Takes estimates that are known: each stands for itself.
  explicit ModeratedCondition(std::span<const double> known);

  // Moderated condition estimate of element `i`: 0 where the estimate is 0, for there no input
  // matters. wide() makes a limit of 6 on one element hold; typical() makes squares of errors
  // relative to it right on average, however few runs there were.
  double wide(std::size_t i) const;
  double typical(std::size_t i) const;
  // Adds the squares of both for elements from `first` on.
  void add_squares(std::size_t first, std::span<double> typical, std::span<double> wide) const;

 private:
  struct Pool {
    double prior = 0;   // s0²·d0/(d0 + d), with d runs
    double weight = 1;  // weight of the element's own square
    double widening = 1, typical = 1;
  };
  double of(std::size_t i, double Pool::*factor) const;
  static Pool pool_of(std::span<const double> condition, int runs);

  std::span<const double> condition_;
  std::size_t block_ = 1;  // elements a pool
  std::vector<Pool> pools_;
};

}  // namespace kbench
