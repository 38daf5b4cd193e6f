// Samplers are judged over many calls: whether what they drew may come from the weights that the
// reference draws by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/tensor_view.hpp"
#include "verdict/choice.hpp"

namespace kbench {

// The probability that an honest sampler is refused, over all tests of one solution on one
// workload.
inline constexpr double draw_error_rate = 1e-6;

// Weights of one row: the bins that its options fall into, and the bins' probabilities.
class DrawBins {
 public:
  explicit DrawBins(const ChoiceRowView& row);

  static constexpr std::size_t fine = 1024;  // bins of a partition
  static constexpr std::size_t coarse = 8;

  enum Partition : std::size_t { by_rank, by_index, partitions };
  std::size_t bin(Partition partition, std::size_t option) const {
    return bins_[partition][option];
  }
  std::size_t coarse_bin(std::size_t option) const { return bin(by_rank, option) * coarse / fine; }
  const std::vector<double>& masses(Partition partition) const { return masses_[partition]; }
  const std::vector<double>& coarse_masses() const { return coarse_masses_; }
  // Tells whether the reference never draws it, however its inputs are rounded; least() is the
  // probability of the least likely of the others.
  bool is_outside(std::size_t option) const { return outside_[option]; }
  double least() const { return least_; }
  // Tells whether it is now kept, now dropped, as the inputs are rounded: its frequency is unknown.
  bool flips(std::size_t option) const { return flips_[option]; }
  double steady() const { return steady_; }  // sum of the weights of all others

 private:
  std::vector<std::uint16_t> bins_[partitions];
  std::vector<double> masses_[partitions], coarse_masses_;
  std::vector<bool> outside_, flips_;
  double least_ = 0, steady_ = 0;
};

// Draws of one output in call after call.
class DrawTally {
 public:
  // Adds the rows that are drawn of the call's inputs; `set` is the number of those inputs: calls
  // on the same ones share it. The choice must outlive the tally.
  void add(const TensorView& output, const Choice& choice, std::size_t set);

  std::size_t draws() const { return draws_; }
  // The probability, at most, that an honest sampler fits as badly. All tests share it: the least
  // of them, times their number.
  double probability() const;
  // Returns what no honest sampler does, for people; "": nothing.
  std::string wrong() const;

 private:
  struct Row {
    ChoiceRowView view;
    DrawBins bins;
    double draws = 0, flipped = 0;  // flipped: draws of options that flip
    std::vector<double> seen[DrawBins::partitions];
    std::map<std::size_t, double> outside;  // draws of options that are never drawn
    std::size_t last = 0;                   // coarse bin of the last draw
    double with_last = 0, with_above = 0;   // pairs: draws after one, beside one of the row above
  };
  using Rows = std::vector<Row>;
  // Pairs of coarse bins of draws that should not depend on each other.
  using Pairs = std::vector<double>;

  Rows& rows_of_set(const Choice& choice, std::size_t set);
  void count(Row& row, const Row* above, std::size_t option);
  // The least probability of all tests, and what is wrong if it is too small.
  struct Worst {
    double probability = 1;
    double tests = 0;
    std::string what;
    void add(double p, const std::string& text);
  };
  void test_rows(Worst& worst) const;
  void test_all(Worst& worst) const;
  std::vector<double> expected_values() const;
  void test_groups(Worst& worst) const;
  void test_pairs(Worst& worst) const;
  Worst worst() const;
  std::string wrong_outside() const;

  std::map<std::size_t, Rows> sets_;
  Pairs calls_ = Pairs(DrawBins::coarse * DrawBins::coarse), neighbours_ = calls_;
  std::vector<double> values_;  // draws of each value over all rows, without what flips
  std::size_t draws_ = 0;
};

// The chi-square distribution, and the G-test that uses it.

// The probability that a chi-square variable with `freedom` degrees is above x: the regularized
// incomplete gamma function Q(freedom/2, x/2), to about 1e-12 relative (Abramowitz and
// Stegun 6.5.29 and 6.5.31).
double chi_square_tail(double x, double freedom);

// Tests whether counts may come from what is expected: G = 2 Σ O ln(O/E) with Williams' correction
// (Sokal and Rohlf, Biometry, 17.2). Neighbours are put together until 20 are expected. Returns the
// probability of a worse fit; 1 where there is nothing to compare.
double g_test(std::span<const double> observed, std::span<const double> expected);

// Options that a program may lose together: a lane's, a thread's, a block's. Their indices lie
// neither side by side nor among the most likely ones.

// Option i is in group (i / step) % groups.
struct Grouping {
  std::size_t step = 1, groups = 2;

  std::size_t group_of(std::size_t i) const { return i / step % groups; }
};

// Returns the groupings of so many options: every second one, lanes of 32 that take turns with 4
// options each, pieces as long as one of 1024 threads may have, …
std::vector<Grouping> groupings_of(std::size_t options);

// Fit of counts to what is expected of them, by two tests.
struct GroupFit {
  double alone = 1;                // the probability of the most unlikely group, for all of them
  std::optional<double> together;  // G-test's probability, where each group expects draws enough
  std::string what_alone, what_together;  // texts for people
};
GroupFit fit_of(const Grouping& grouping, std::span<const double> seen,
                std::span<const double> expected);

// A bound on the probability that of `draws` independent ones, of which `expected` hit on average,
// as few hit as `seen`, or as many: Chernoff's, which Hoeffding (1963, theorem 1) shows for unlike
// probabilities, too. Honest arithmetic may be a thousandth off, and one draw.
double hits_bound(double seen, double expected, double draws);

}  // namespace kbench
