#include "verdict/code_share.hpp"

#include <algorithm>
#include <cmath>

#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

// A scale that is rounded to 16 bits, and shared by all, is off by up to √3 of its σ; what is off
// by a normal σ has 0.8 times as many others.
constexpr double shared = 1.5;

double beside(double likely) { return k_largest_z * std::sqrt(likely + 1); }

}  // namespace

double CodeShare::limit(std::size_t rows) const {
  const double most = std::max(k_rms_limit(rows), shared) * likely;
  return most + beside(most);
}

double CodeShare::limit_of_one_direction(std::size_t rows) const {
  const double of_rows =
      k_rms_limit(1) / std::sqrt(static_cast<double>(std::max<std::size_t>(rows, 1)));
  return std::min(1.0, of_rows) * likely + shared * likely_steady + beside(likely);
}

double CodeShare::part_of_limit(std::size_t rows) const {
  return std::max(others / limit(rows),
                  std::fabs(inwards - outwards) / limit_of_one_direction(rows));
}

}  // namespace kbench
