#include "verdict/code_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/within_tolerance.hpp"

namespace kbench {

double CodeGrid::step(double value) const {
  if (value == 0) return smallest;
  int exponent = 0;
  std::frexp(std::fabs(value), &exponent);
  return std::max(std::ldexp(u, exponent), smallest);
}

double CodeGrid::rounded(double value) const {
  const double unit = step(value), size = std::nearbyint(std::fabs(value) / unit) * unit;
  return std::copysign(std::min(size, largest), value);
}

CodeGrid::Interval CodeGrid::rounded_to(double code) const {
  const double size = std::fabs(code);
  if (size == 0) return {-smallest / 2, smallest / 2};
  const double low = size - step(std::nextafter(size, 0.0)) / 2;
  const double high =
      size < largest ? size + step(size) / 2 : std::numeric_limits<double>::infinity();
  return code > 0 ? Interval{low, high} : Interval{-high, -low};
}

double CodeGrid::distance(double value, double code) const {
  const Interval right = rounded_to(code);
  return std::max({right.low - value, value - right.high, 0.0});
}

double CodeGrid::to_border(double value) const {
  const Interval own = rounded_to(rounded(value));
  return std::max(std::min(value - own.low, own.high - value), 0.0);
}

double CodeGrid::between(double one, double other) const {
  const Interval a = rounded_to(one), b = rounded_to(other);
  return std::max({a.low - b.high, b.low - a.high, 0.0});
}

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
