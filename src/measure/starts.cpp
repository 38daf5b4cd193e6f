#include "measure/starts.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace kbench {
namespace {

constexpr double undisturbed = 0.1;  // the quantile of a start's turns that stands for it

// Standard deviation of the log time between starts of one program, and the degrees of freedom
// that this prior is worth. Starts that follow each other may lie in one phase of a neighbour that
// none of them shows (bench/speedup).
constexpr double between_starts = 0.02;
constexpr std::size_t prior_freedom = 4;

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double mean = 0, sum = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double low_quantile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, undisturbed);
}

// `value` takes the places of a set of turns.
template <class Value>
StartValue with_variance(std::size_t turns, const Value& value) {
  constexpr int sets = 64;
  if (turns == 0) return {};
  std::vector<std::size_t> places(turns);
  for (std::size_t i = 0; i < turns; ++i) places[i] = i;
  StartValue out{value(places), 0};
  std::minstd_rand random(1);
  std::vector<double> drawn;
  for (int set = 0; set < sets; ++set) {
    for (std::size_t& place : places) place = random() % turns;
    drawn.push_back(value(places));
  }
  out.variance = variance_of(drawn);
  return out;
}

std::vector<double> at_places(const StartTurns& turns, const std::vector<std::size_t>& places) {
  std::vector<double> out;
  for (const std::size_t place : places) out.push_back(turns[place]);
  return out;
}

// The value that Student's t exceeds, to either side together, with a probability of half a
// percent: an interval of a mean of few starts misses a little more often than it says.
double student_quantile(std::size_t degrees_of_freedom) {
  constexpr double known[] = {127.32, 14.089, 7.453, 5.598, 4.773, 4.317, 4.029, 3.833, 3.690,
                              3.581,  3.497,  3.428, 3.372, 3.326, 3.286, 3.252, 3.222, 3.197,
                              3.174,  3.153,  3.135, 3.119, 3.104, 3.091, 3.078};
  return known[std::clamp<std::size_t>(degrees_of_freedom, 1, std::size(known)) - 1];
}

}  // namespace

StartValue time_of_start(const StartTurns& log_ns) {
  return with_variance(log_ns.size(), [&](const std::vector<std::size_t>& places) {
    return low_quantile(at_places(log_ns, places));
  });
}

StartValue ratio_of_start(const StartTurns& first_log_ns, const StartTurns& second_log_ns) {
  return with_variance(std::min(first_log_ns.size(), second_log_ns.size()),
                       [&](const std::vector<std::size_t>& places) {
                         return low_quantile(at_places(second_log_ns, places)) -
                                low_quantile(at_places(first_log_ns, places));
                       });
}

std::optional<LogEstimate> estimate_of_starts(std::span<const StartValue> starts) {
  if (starts.empty()) return std::nullopt;
  const auto count = static_cast<double>(starts.size());
  std::vector<double> values;
  LogEstimate estimate;
  double within = 0;
  for (const StartValue& start : starts) {
    values.push_back(start.value);
    estimate.value += start.value / count;
    within += start.variance / count;
  }
  const double prior = between_starts * between_starts + within;
  const std::size_t freedom = prior_freedom + starts.size() - 1;
  const double variance =
      (static_cast<double>(prior_freedom) * prior + (count - 1) * variance_of(values)) /
      static_cast<double>(freedom);
  const double half = student_quantile(freedom) * std::sqrt(variance / count);
  estimate.interval = {estimate.value - half, estimate.value + half};
  return estimate;
}

}  // namespace kbench
