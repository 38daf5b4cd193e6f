#include "measure/sign_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kbench {
namespace {

constexpr std::array bets = {0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.98};

}  // namespace

double log_e_value(std::size_t successes, std::size_t trials) {
  const auto won = static_cast<double>(successes);
  const auto lost = static_cast<double>(trials - successes);
  std::array<double, bets.size()> wealth{};
  std::transform(bets.begin(), bets.end(), wealth.begin(),
                 [&](double p) { return won * std::log(2 * p) + lost * std::log(2 * (1 - p)); });
  const double best = *std::max_element(wealth.begin(), wealth.end());
  double sum = 0;
  for (const double w : wealth) sum += std::exp(w - best);
  return best + std::log(sum / static_cast<double>(bets.size()));
}

// One success more never lowers the e-value above 1, so the fewest are found by halving.
std::size_t fewest_successes(std::size_t trials, double level) {
  const double wanted = -std::log(level);
  std::size_t low = (trials + 1) / 2;
  std::size_t high = trials + 1;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (log_e_value(middle, trials) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::size_t expected_trials(std::size_t successes, std::size_t trials, double level) {
  for (std::size_t n = trials + 1; n < 100'000; n += 1 + n / 32)
    if (fewest_successes(n, level) * trials <= successes * n) return n;
  return 0;
}

}  // namespace kbench
