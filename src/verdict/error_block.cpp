#include "verdict/error_block.hpp"

#include <cmath>
#include <limits>

#include "base/simd.hpp"

namespace kbench {
namespace {

constexpr double within_rounding = 1e-12;  // relative change that the order of operations may make

KBENCH_SIMD
void variances(const double* r, std::size_t count, std::array<double, 2> parts,
               const double* condition, double* variance) {
  for (std::size_t k = 0; k < count; ++k) {
    const double square = r[k] * r[k];
    variance[k] = parts[0] * square + parts[1] * (condition[k] + square);
  }
}

struct ErrorLimits {
  double half_smallest, u_out, most, z, absolute, relative, limit_z;  // z, limit_z: squares
};

KBENCH_SIMD
void mark(const double* __restrict y, const double* __restrict r, const ErrorLimits limits,
          ErrorBlock& __restrict block) {
  constexpr double finite = std::numeric_limits<double>::max();
  std::int64_t odd = 0, missed = 0;
  for (std::size_t k = 0; k < block.count; ++k) {
    const double size = std::fabs(r[k]), off = std::fabs(y[k] - r[k]);
    const double left = off - limits.half_smallest, error = left > 0 ? left : 0;
    const double over = left - limits.u_out * size, beyond = over > 0 ? over : 0;
    const double z = beyond * beyond, limit = limits.limit_z * block.wide[k];
    block.ratio[k] = error > 0 ? error * error / block.typical[k] : 0;
    const bool plain = (off <= finite) & (size <= limits.most) & (block.typical[k] >= 0);
    const bool larger = (z > limits.z * block.wide[k]) | (off > limits.absolute) |
                        (off > limits.relative * (size + 1e-8));
    const bool close = std::fabs(z - limit) < within_rounding * limit;
    const std::int64_t is_odd = !plain | larger | close;
    const std::int64_t is_missed = (z > limit) & !is_odd;
    block.is_odd[k] = is_odd;
    block.is_missed[k] = is_missed;
    odd += is_odd;
    missed += is_missed;
  }
  block.odd = odd;
  block.missed = missed;
}

KBENCH_SIMD
void make_terms(const double* __restrict y, const double* __restrict r,
                ErrorBlock& __restrict block) {
  constexpr double larger = k_larger_condition * k_larger_condition;
  for (std::size_t k = 0; k < block.count; ++k) {
    const double square = r[k] * r[k], condition = block.condition[k];
    const double weight = block.typical[k] > 0 ? 1 / block.typical[k] : 0;
    const double coherent = std::sqrt(condition) * std::fabs(r[k]);
    block.product[k] = (y[k] - r[k]) * r[k] * weight;
    block.square[k] = square * weight;
    block.coherent[k] = (condition > larger * square ? coherent : square) * weight;
  }
}

KBENCH_SIMD
double sum_of(const double* values, std::size_t count) {
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + 8 <= count; k += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += values[k + lane];
  for (std::size_t lane = 0; k < count; ++k, ++lane) sums[lane] += values[k];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

KBENCH_SIMD
void add_all(double* __restrict sums, const double* __restrict values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) sums[k] += values[k];
}

}  // namespace

void k_variances(std::span<const double> r, const KScale& scale, const double* condition,
                 double* variance) {
  const double accumulated = 0.25 * scale.u_acc * scale.u_acc * scale.terms;
  variances(r.data(), r.size(),
            {scale.u_out * scale.u_out / 3, scale.u_int * scale.u_int / 3 + accumulated}, condition,
            variance);
}

void compare_all(const KScale& scale, const LargestFound& largest, double limit_z,
                 ErrorBlock& block) {
  constexpr double more = 1 + 1e-14;  // many may be as large as the largest
  mark(block.value.data(), block.answer,
       {scale.half_smallest, scale.u_out, scale.largest, largest.z * largest.z * more,
        largest.absolute, largest.relative * more, limit_z * limit_z},
       block);
  if (scale.looks_for_bias) make_terms(block.value.data(), block.answer, block);
}

double sum(std::span<const double> values) { return sum_of(values.data(), values.size()); }

void add_to(std::span<double> sums, std::span<const double> values) {
  add_all(sums.data(), values.data(), values.size());
}

}  // namespace kbench
