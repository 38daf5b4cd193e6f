// The chi-square distribution, and the G-test that uses it.
#pragma once

#include <span>

namespace kbench {

// The probability that a chi-square variable with `freedom` degrees is above x: the regularized
// incomplete gamma function Q(freedom/2, x/2), to about 1e-12 relative (Abramowitz and
// Stegun 6.5.29 and 6.5.31).
double chi_square_tail(double x, double freedom);

// Whether counts may come from what is expected: G = 2 Σ O ln(O/E) with Williams' correction
// (Sokal and Rohlf, Biometry, 17.2). Neighbours are put together until 20 are expected. Returns the
// probability of a worse fit; 1 where there is nothing to compare.
double g_test(std::span<const double> observed, std::span<const double> expected);

}  // namespace kbench
