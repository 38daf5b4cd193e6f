// Samplers are judged over many calls: whether what they drew may come from the weights that the
// reference draws by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "problem/tensor_view.hpp"
#include "verdict/choice.hpp"

namespace kbench {

// The probability that an honest sampler is refused, over all tests of one solution on one
// workload.
inline constexpr double draw_error_rate = 1e-6;

// The weights of one row: into which bin its options fall, and the bins' probabilities.
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
  // Never drawn by the reference, however its inputs are rounded; what the least likely of the
  // others weighs.
  bool is_outside(std::size_t option) const { return outside_[option]; }
  double least() const { return least_; }
  // Now kept, now dropped, as the inputs are rounded: how often it is drawn is not known.
  bool flips(std::size_t option) const { return flips_[option]; }
  double steady() const { return steady_; }  // the weights of all others

 private:
  std::vector<std::uint16_t> bins_[partitions];
  std::vector<double> masses_[partitions], coarse_masses_;
  std::vector<bool> outside_, flips_;
  double least_ = 0, steady_ = 0;
};

// What one output drew in call after call.
class DrawTally {
 public:
  // The rows that are drawn of the call's inputs; `set` is the number of those inputs: calls on the
  // same ones share it. The choice must outlive the tally.
  void add(const TensorView& output, const Choice& choice, std::size_t set);

  std::size_t draws() const { return draws_; }
  // The probability, at most, that an honest sampler fits as badly. All tests share it: the least
  // of them, times their number.
  double probability() const;
  // What no honest sampler does; "": nothing. For people.
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
  // By coarse bins, draws that should not depend on each other.
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
  std::vector<double> values_;  // how often each was drawn of all rows, without what flips
  std::size_t draws_ = 0;
};

}  // namespace kbench
