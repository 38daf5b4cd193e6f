#include "verdict/codes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problem/element.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

double rounded(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::toward_zero:
      return std::trunc(value);
    default:
      return std::nearbyint(value);  // ties to even, as torch.round
  }
}

// Distance from a number to where the next integer begins.
double to_next(double value, Rounding rounding) {
  const double shifted = rounding == Rounding::nearest ? value + 0.5 : value;
  const double part = shifted - std::floor(shifted);
  return std::min(part, 1 - part);
}

}  // namespace

Codes::Codes(const RoundedFrom& from, int runs, const TensorView& own, const KScale& scale)
    : from_(from),
      own_(decoded(own)),
      scale_(scale),
      condition_(from.condition, runs, row_length(own.shape)) {
  scale_.u_out = 0;
}

double Codes::sigma(std::size_t i) const {
  return k_sigma(from_.values[i], condition_.wide(i), scale_);
}

Codes::Range Codes::range(std::size_t i) const {
  const double value = from_.values[i], around = k_largest_z * sigma(i);
  if (!std::isfinite(value) || !std::isfinite(around)) return {own_[i], own_[i]};
  return {std::min(own_[i], rounded(value - around, from_.rounding)),
          std::max(own_[i], rounded(value + around, from_.rounding))};
}

double Codes::likely_other(std::size_t i) const {
  const double spread = sigma(i);
  if (!(spread > 0) || !std::isfinite(from_.values[i])) return 0;
  return 0.5 * std::erfc(to_next(from_.values[i], from_.rounding) / (spread * std::numbers::sqrt2));
}

CodeMisses code_misses(const TensorView& output, const Codes& codes) {
  CodeMisses misses;
  misses.missed.resize(codes.size());
  misses.first = codes.size();
  const std::vector<double> values = decoded(output);
  double likely = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    likely += codes.likely_other(i);
    if (values[i] == codes.own(i)) continue;
    const Codes::Range range = codes.range(i);
    if (values[i] >= range.low && values[i] <= range.high) {
      ++misses.others;
      continue;
    }
    misses.missed[i] = true;
    misses.first = std::min(misses.first, i);
    ++misses.count;
  }
  misses.limit = likely + k_largest_z * std::sqrt(likely + 1);
  return misses;
}

}  // namespace kbench
