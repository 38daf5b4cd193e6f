// Elements beside each other and their errors: a few loops of vector code look at each element
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kbench {

// Sizes of the errors that honest arithmetic makes.

// Scale of an arithmetic's errors, as unit roundoffs (schema/dtype.hpp).
struct KScale {
  double u_out = 0;          // roundoff of the output's dtype
  double u_int = 0;          // roundoff of intermediates, where they may be rounded; 0: exact
  double u_acc = 0x1p-24;    // roundoff of accumulators: float32
  double u_row = 0;          // floor of σ relative to its row, for what the estimate does not see
  double terms = 1;          // n, the length of a reduction
  double half_smallest = 0;  // half the output dtype's smallest subnormal: underflow is no mistake
  double largest = 1e308;    // the output dtype's largest finite number
  bool overflows_to_nan = false;  // a number beyond it becomes NaN, or the largest
  // The output's dtype has 8 bits or fewer: an element is right only where a number within 6 σ of
  // the answer, σ without u_out, is rounded so.
  bool is_narrow = false;
  bool is_special = false;       // inputs are infinite or NaN: see k_statistic()
  bool stands_alone = false;     // elements share no error: each counts as a row
  bool shares_an_error = false;  // all rows may: few count
  bool looks_for_bias =
      false;  // results that are all too large or too small are a fault (bias.hpp)

  bool operator==(const KScale&) const = default;
};

// σ of one element with answer r and condition estimate M; G = hypot(M, |r|):
// σ² = (u_out·|r|/√3)² + (u_int·G/√3)² + (½·u_acc·√n·G)².
double k_sigma(double r, double condition, const KScale& scale);

// Ratio of a condition estimate to its answer from which an element is the small difference of
// larger parts: a product of two inputs has 1.4.
inline constexpr double k_larger_condition = 2.5;

struct ErrorBlock {
  static constexpr std::size_t most = 1024;
  using Numbers = std::array<double, most>;

  std::size_t count = 0;
  // ErrorTolerance::read() fills squares of typical_sigma(), unit() and the typical condition.
  const double* answer = nullptr;
  Numbers typical, wide, condition;
  Numbers value;  // elements of the output
  // compare_all() fills (e/σ)² and the parts of a BiasTerm.
  Numbers ratio, product, square, coherent;
  // Flags of elements beyond their limit; of those that have to be looked at one by one.
  std::array<std::int64_t, most> is_missed, is_odd;
  std::int64_t missed = 0, odd = 0;

  std::span<const double> part(const Numbers& of, std::size_t first, std::size_t length) const {
    return std::span<const double>(of).subspan(first, length);
  }
};

// Largest errors that were found so far: an element that exceeds one is odd.
struct LargestFound {
  double z = 0, absolute = 0, relative = 0;
};

// σ² of r and of a condition estimate whose squares stand in `condition`; the floor and other noise
// come later. `variance` and `condition` may be one.
void k_variances(std::span<const double> r, const KScale& scale, const double* condition,
                 double* variance);

// Elements are odd that are not finite, out of range or beyond `largest`, or so near their limit
// that the order of operations may decide: compare() of within_tolerance.cpp has the last word.
void compare_all(const KScale& scale, const LargestFound& largest, double limit_z,
                 ErrorBlock& block);

// Adds eight sums of every eighth value: the result is the same on every machine.
double sum(std::span<const double> values);
void add_to(std::span<double> sums, std::span<const double> values);

}  // namespace kbench
