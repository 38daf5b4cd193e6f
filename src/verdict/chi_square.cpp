#include "verdict/chi_square.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace kbench {
namespace {

constexpr double least_expected = 20;

// P(a, x) by its series.
double gamma_below(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 10'000 && std::fabs(term) > 1e-16 * std::fabs(sum); ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// Q(a, x) by its continued fraction, evaluated by Lentz's method.
double gamma_above(double a, double x) {
  constexpr double tiny = std::numeric_limits<double>::min();
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
  for (int k = 1; k < 10'000; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    if (std::fabs(d) < tiny) d = tiny;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1 / d;
    const double change = d * c;
    fraction *= change;
    if (std::fabs(change - 1) < 1e-15) break;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_square_tail(double x, double freedom) {
  const double a = freedom / 2, half = x / 2;
  if (!(half > 0)) return 1;
  return half < a + 1 ? 1 - gamma_below(a, half) : gamma_above(a, half);
}

double g_test(std::span<const double> observed, std::span<const double> expected) {
  std::vector<double> seen, wanted;
  double o = 0, e = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    o += observed[i];
    e += expected[i];
    if (e < least_expected) continue;
    seen.push_back(o);
    wanted.push_back(e);
    o = e = 0;
  }
  if (wanted.empty()) return 1;
  seen.back() += o;  // the rest belongs to the last group
  wanted.back() += e;
  if (wanted.size() < 2) return 1;
  double g = 0, total = 0, inverses = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] > 0) g += 2 * seen[i] * std::log(seen[i] / wanted[i]);
    total += wanted[i];
    inverses += 1 / wanted[i];
  }
  const double freedom = static_cast<double>(seen.size()) - 1;
  const double correction = 1 + (total * inverses - 1) / (6 * total * freedom);
  return chi_square_tail(g / correction, freedom);
}

}  // namespace kbench
