// Common parts of the calibrations.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kbench::mutants {

// Seeds begin above this one: nothing was developed with them.
inline constexpr std::uint64_t first_seed = 5000;

// Returns the upper end of the 95 % interval of a rate, `events` of `n`, by Clopper and Pearson.
inline double upper_bound(std::size_t events, std::size_t n) {
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double p = (low + high) / 2;
    double below = 0;  // probability of at most `events`
    for (std::size_t k = 0; k <= events; ++k) {
      below += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                        static_cast<double>(k) * std::log(p) +
                        static_cast<double>(n - k) * std::log1p(-p));
    }
    (below > 0.05 ? low : high) = p;
  }
  return high;
}

}  // namespace kbench::mutants
