// Criterion K: how far an output is from the double-precision answer, in units of the error that
// honest arithmetic makes; docs/verdict.md has the formulas. Sources: N. J. Higham and T. Mary, "A
// New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019 (the
// error of a sum of n terms grows like √n·u); D. S. Parker, "Monte Carlo Arithmetic", UCLA
// CSD-970002, 1997 (the condition estimate).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problem/tensor_view.hpp"
#include "verdict/bias.hpp"
#include "verdict/code_grid.hpp"
#include "verdict/cut_off.hpp"
#include "verdict/error_tolerance.hpp"

namespace kbench {

// The limit on an element: (|y-r| - u_out·|r| - half the smallest subnormal)⁺ ≤ 6 σ.
inline constexpr double k_largest_z = 6;

// The limit on √(mean (e/σ)²) over `rows` rows, at least 1.1: where χ² of so many degrees of
// freedom has the tail of 5 σ (Wilson and Hilferty 1931). A right result that is rounded once has a
// mean of at most 1. The elements of a row may share one error, that of the sum they are divided
// by: a row counts as one normal number, whose square has the variance 2.
inline constexpr double k_rms_z = 5;
double k_rms_limit(std::size_t rows);

// Rows that count at most where all may share one error (x / ‖x‖). The error of one rounding is
// bounded: it is not taken for one row, whose limit is that of a normal number.
inline constexpr std::size_t k_rows_of_one_error = 8;

// The largest root mean square of e/σ over the slices at one index of an axis, relative to its
// limit.
struct KSlice {
  std::size_t axis = 0;
  std::int64_t index = 0;
  double rms = 0;
  double limit = 0;
};

// Evidence in the errors of one output: of one trial, or of several that are added up.
struct KEvidence {
  double squares = 0, count = 0;  // Σ (e/σ)² over all finite elements, and their number
  std::size_t rows = 0;           // rows that k_rms_limit counts
  RoundingTally rounding;
  BiasTally bias;

  double rms() const;
  void add(const KEvidence& other);
  // The least part by which all results together have to be too large or too small to be refused:
  // by their slope on the answers, or by their squares. Infinite where every answer is 0.
  double visible_factor() const;
};

struct KStatistic {
  double largest_z = 0;   // maximum over all elements; infinite where y and r are of unlike kinds
  std::size_t worst = 0;  // the element it is of
  double rms = 0;         // root mean square of e/σ over all finite elements
  double rms_limit = 0;
  std::optional<KSlice> worst_slice;  // slice that uses most of its limit; any axis but the last
  std::size_t misses = 0;             // elements beyond their limit
  CutOff cut_off;
  Bias bias;
  std::optional<BiasedSlice> biased_slice;
  CodeShare codes;        // codes of dtypes of 8 bits or fewer
  double codes_part = 0;  // the largest part of their limits
  KEvidence evidence;
  double max_absolute = 0, max_relative = 0;  // |y-r|, and |y-r| / (|r| + 1e-8); NaN where an
                                              // element is of another kind

  bool accepts() const;
  bool is_biased() const;
};

// `output` has the tolerance's shape. Inputs that are infinite or NaN (KScale::is_special) become
// what the formula makes of them: max(NaN, 0) is 0 in C, and a running mean of an infinity is NaN.
// An element may then be anything where the answer is NaN, and anything but a number smaller than
// the dtype's largest where it is infinite. `missed`, if it is wanted, becomes true where an
// element is beyond its limit.
KStatistic k_statistic(const TensorView& output, const ErrorTolerance& error_tolerance,
                       std::vector<bool>* missed = nullptr);

// Sums of (error/sigma)² over the slices of an output.

// Returns how many of the rows count.
std::size_t rows_that_count(std::size_t rows, const KScale& scale);

// The slices are those of every axis but the last.
class SliceSums {
 public:
  SliceSums(const std::vector<std::int64_t>& shape, const KScale& scale);

  std::size_t rows() const { return rows_ * in_a_row_; }
  void add_row(std::size_t row, double squares, std::size_t count);
  std::optional<KSlice> worst() const;

 private:
  struct Sum {
    double squares = 0;
    std::size_t count = 0;
  };
  struct Axis {
    std::size_t axis = 0;
    std::size_t inner = 1;  // rows at one index of it, further in
    std::vector<Sum> sums;
  };
  const KScale& scale_;
  std::size_t rows_ = 1, in_a_row_;
  std::vector<Axis> axes_;
};

}  // namespace kbench
