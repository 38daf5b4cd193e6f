// Tests of how results were rounded: cut off, or in float32 to 16 bits. Cutting off makes errors of
// one sign, half a step on average, and each of them is as small as an honest one. An honest
// program may have errors of one sign too (a constant that is rounded to 16 bits), but relative to
// the answer they change smoothly with its size; those of cutting off jump by half wherever the
// answer passes a power of two. So both are asked for: nearly all errors of one sign, and that
// jump. The jump alone may be chance: x·y rounded to bfloat16 and then multiplied by a constant has
// one of 128 errors.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "problem/tensor_view.hpp"
#include "verdict/error_tolerance.hpp"

namespace kbench {

struct CutOff {
  double drift = 0;  // drift in steps: -0.5 where all are cut off, 0 where all are rounded
  double limit = std::numeric_limits<double>::infinity();  // limit on |drift|

  // Elements whose error is that of one cut off, those with another, and the fewest of these that
  // an honest program leaves whose results are all a little too small.
  double inside = 0, outside = 0, least_outside = 0;

  double part_of_limit() const {
    const double by_drift = drift / limit;
    const double by_count = least_outside > 0 ? least_outside / std::max(outside, 0.5) : 0;
    return std::max({by_drift, -by_drift, by_count});
  }
  bool accepts() const { return !(drift > limit || drift < -limit) && !(outside < least_outside); }
};

// The smallest |drift| that is a fault; cutting off has 0.5.
inline constexpr double k_least_drift = 0.25;

// Evidence of how outputs were rounded: one, or several that are added up.
struct RoundingTally {
  double counted = 0;         // elements
  double away = 0;            // those of them with an error away from zero
  double outside = 0;         // those with none between 0 and one step towards zero
  double wanted_outside = 0;  // the fewest of these that an honest program leaves, on average
  struct Piece {
    double with_error = 0, squares = 0;  // Σ error·jump, Σ jump²
  };
  std::vector<Piece> pieces;

  void add(const RoundingTally& other);
};

// Two tests tell; either is enough. One is for few elements: errors of results that are cut off all
// lie between 0 and one step towards zero. An honest program whose results are too small by one
// factor has errors of a·m ± 1/2 steps, m the answer's significand, and |a·m - 1/2| of them lie
// outside; among all a, the one with a·(the median of m) = 1/2 leaves the fewest. Fewer than that,
// by four of its standard errors, is cut off. The other is for many: the regression of (y - rounded
// r)/r on 1/|r's significand|, beside a parabola in log2 |r|, over pieces of 128 elements, up to
// 1024 of them. The spread of the pieces is the drift's standard error; the limit is six of them by
// Student's t, k_least_drift at least. Outputs of 16 bits alone have one, where 7 of 8 errors have
// one sign. Elements count only if their answer
// - is a normal number, away from the ends of the dtype's range,
// - is neither a number of the dtype nor half way between two: there all round alike, or as they
//   like,
// - has no other error that is much larger than a step,
// - has other digits than those before: one error is no evidence twice.
RoundingTally rounding_tally(const TensorView& output, const ErrorTolerance& error_tolerance);
CutOff cut_off(const RoundingTally& tally);

// Finds a float32 output that was rounded to 16 bits, whatever its errors are allowed to be: what a
// definition returns in float32 is kept there for those who add up many of them. Returns the dtype
// of 16 bits that nine in ten elements of `output` are numbers of, among those whose native answer
// is none: by chance one in 2^13 is. Returns nothing where fewer than eight elements count. Both
// have one shape.
std::optional<DType> rounded_to(const TensorView& output, const TensorView& native);

}  // namespace kbench
