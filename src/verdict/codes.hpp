// Judgement of an output of numbers rounded to integers: right is any integer that an honest number
// may have been rounded to.
#pragma once

#include <cstddef>
#include <vector>

#include "problem/origin.hpp"
#include "problem/tensor_view.hpp"
#include "verdict/condition_estimate.hpp"
#include "verdict/error_tolerance.hpp"

namespace kbench {

class Codes {
 public:
  // The scale is of the numbers before they are rounded: u_out counts for nothing. `from` and
  // `own`, the integers of the double run, must outlive it.
  Codes(const RoundedFrom& from, int runs, const TensorView& own, const KScale& scale);

  std::size_t size() const { return from_.values.size(); }
  struct Range {
    double low = 0, high = 0;  // both are right
  };
  Range range(std::size_t i) const;
  double own(std::size_t i) const { return own_[i]; }
  // Probability that an honest program has another integer than the double run.
  double likely_other(std::size_t i) const;

 private:
  double sigma(std::size_t i) const;

  RoundedFrom from_;
  std::vector<double> own_;
  KScale scale_;
  ModeratedCondition condition_;
};

struct CodeMisses {
  std::vector<bool> missed;
  std::size_t count = 0;   // integers outside their range
  std::size_t others = 0;  // integers in their range that the double run does not have
  double limit = 0;        // limit on `others`: what is likely, and 6 times its spread
  std::size_t first = 0;

  bool accepts() const { return count == 0 && static_cast<double>(others) <= limit; }
};

CodeMisses code_misses(const TensorView& output, const Codes& codes);

}  // namespace kbench
