// Decision whether B is faster than A, from log ratios of their times as they come.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "measure/statistics.hpp"

namespace kbench {

enum class Answer { undecided, faster, slower, same };

// "FASTER", …
std::string_view answer_name(Answer answer);

struct CompareRule {
  double margin = 0.005;  // ratios of 1 + margin and less, either way, are the same
  double error = 0.01;    // probability of a wrong answer, however often it is looked at

  // Returns the rule for each of so many comparisons, whose errors add up to this one's.
  CompareRule of_each(std::size_t count) const {
    return {margin, error / static_cast<double>(count > 0 ? count : 1)};
  }
};

// State of a comparison, by the log ratios ln(time of B / time of A) so far.
struct Compared {
  Answer answer = Answer::undecided;
  std::size_t pairs = 0;
  double log_ratio = 0;              // the median; 0 without pairs
  std::optional<Interval> interval;  // the median's, valid at every look; none while too few pairs
  std::size_t expected_pairs = 0;    // number in all, if undecided; 0 where none would decide
};

// The fewest pairs that can decide, when they agree.
std::size_t fewest_pairs(const CompareRule& rule);

// Answer by where an interval of the log ratio lies against the margin.
Answer answer_of(const std::optional<Interval>& interval, double margin);

// Takes pairs as they come. Counts alone are kept up to date, so a look costs nothing.
class Comparison {
 public:
  explicit Comparison(const CompareRule& rule);

  void add(double log_ratio);
  Answer answer() const;                                        // the same as compared().answer
  bool agrees() const { return best() == log_ratios_.size(); }  // no pair speaks against the answer
  Compared compared() const;
  std::span<const double> log_ratios() const { return log_ratios_; }

 private:
  std::size_t best() const;  // number of pairs that speak for the answer that most speak for

  CompareRule rule_;
  double margin_;  // margin of the log ratio
  std::vector<double> log_ratios_;
  std::size_t enough_ = 1;                       // fewest_successes() of as many pairs
  std::size_t below_low_ = 0, above_low_ = 0;    // pairs below and above -margin
  std::size_t below_high_ = 0, above_high_ = 0;  // pairs below and above +margin
};

// Combines several comparisons whose errors add up: the mean of the log ratios, and an interval
// that holds with their sum. Undecided where one of them has no interval.
Compared combine(std::span<const Compared> parts, double margin);

// A sequential sign test by e-values: valid at every look, whatever decides when to stop, and
// without any distribution of the values: of each trial only whether it succeeded counts.
// Source: Shafer et al., "Test martingales, Bayes factors and p-values", 2011; Ramdas et al.,
// "Game-theoretic statistics and safe anytime-valid inference", 2023.

// ln of the e-value against "given the past, each trial succeeds with probability at most 1/2". Its
// chance to ever reach ln(1/a) under that hypothesis is at most a (Ville's inequality). The wealth
// of bets on success probabilities from 0.55 to 0.98, in equal shares.
double log_e_value(std::size_t successes, std::size_t trials);

// The fewest successes in `trials` whose e-value reaches 1/`level`; trials + 1 where not even all
// do.
std::size_t fewest_successes(std::size_t trials, double level);

// Compares two candidates by times that were taken in different runs.
struct StoredTime {
  Estimate log_ns;  // estimate with an interval
  std::size_t samples = 0;
  // The machine's pace meanwhile: the quickest and slowest look at it.
  std::optional<Interval> control_ns = {};
};

// The estimate of a record that holds nothing but the samples of one start, nanoseconds: their
// median, by order statistics, and a percent for where that start came to lie; of very few that of
// a single start.
Estimate estimate_of_samples(std::span<const double> samples_ns);

// The two runs are independent, so the half widths of their intervals add up as squares. The result
// is widened by as much as the control computation differed within both runs and between them: so
// much did the machine change for other reasons. Nobody knows by how much without a control, and
// there is no interval.
Compared compare_stored(const StoredTime& a, const StoredTime& b, const CompareRule& rule);

}  // namespace kbench
