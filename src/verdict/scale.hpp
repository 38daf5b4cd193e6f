// How large the errors are that honest arithmetic makes.
#pragma once

namespace kbench {

// What the arithmetic may do, as unit roundoffs (schema/dtype.hpp).
struct KScale {
  double u_out = 0;        // of the output's dtype
  double u_int = 0;        // of intermediates, where they may be rounded; 0: exact
  double u_acc = 0x1p-24;  // of accumulators: float32
  double u_row =
      0;  // of what the condition estimate does not see: σ is at least so much of its row
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

// From so many times its answer on an element is the small difference of larger parts: a product of
// two inputs has a condition estimate of 1.4 times itself.
inline constexpr double k_larger_condition = 2.5;

}  // namespace kbench
