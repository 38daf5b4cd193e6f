// Elements beside each other and their errors: a few loops of vector code look at each element
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "verdict/scale.hpp"

namespace kbench {

struct ErrorBlock {
  static constexpr std::size_t most = 1024;
  using Numbers = std::array<double, most>;

  std::size_t count = 0;
  // ErrorTolerance::read() fills squares of typical_sigma(), unit() and the typical condition.
  const double* answer = nullptr;
  Numbers typical, wide, condition;
  Numbers value;  // of the output
  // compare_all() fills (e/σ)² and the parts of a BiasTerm.
  Numbers ratio, product, square, coherent;
  // Which are beyond their limit; and which have to be looked at one by one.
  std::array<std::int64_t, most> is_missed, is_odd;
  std::int64_t missed = 0, odd = 0;

  std::span<const double> part(const Numbers& of, std::size_t first, std::size_t length) const {
    return std::span<const double>(of).subspan(first, length);
  }
};

// The largest that were found so far: what exceeds one is odd.
struct LargestFound {
  double z = 0, absolute = 0, relative = 0;
};

// σ² of r and of a condition estimate whose squares stand in `condition`; the floor and other noise
// come later. `variance` and `condition` may be one.
void k_variances(std::span<const double> r, const KScale& scale, const double* condition,
                 double* variance);

// Odd is what is not finite or out of range, what exceeds `largest`, and what is so near its limit
// that another order of operations may decide: compare() of within_tolerance.cpp has the last word.
void compare_all(const KScale& scale, const LargestFound& largest, double limit_z,
                 ErrorBlock& block);

// Adds eight sums of every eighth value: the result is the same on every machine.
double sum(std::span<const double> values);
void add_to(std::span<double> sums, std::span<const double> values);

}  // namespace kbench
