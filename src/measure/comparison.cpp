#include "measure/comparison.hpp"

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

namespace {

// The trials in all that reach 1/`level` where as many of them succeed as of these; 0 where no
// number does that anybody would wait for.
std::size_t expected_trials(std::size_t successes, std::size_t trials, double level) {
  for (std::size_t n = trials + 1; n < 100'000; n += 1 + n / 32)
    if (fewest_successes(n, level) * trials <= successes * n) return n;
  return 0;
}

constexpr double half(double error) { return error / 2; }  // error of each side

// The interval that holds the median of the log ratios at all times with probability 1 - error;
// none where there are too few. A median below the value of rank n + 1 - k would have k values
// above it, which the sign test rejects; so it is for k from the other side.
std::optional<Interval> median_bounds(std::span<const double> sorted, double error) {
  const std::size_t n = sorted.size();
  const std::size_t k = fewest_successes(n, half(error));
  if (k > n) return std::nullopt;
  return Interval{sorted[n - k], sorted[k - 1]};
}

}  // namespace

std::string_view answer_name(Answer answer) {
  constexpr std::string_view names[] = {"UNDECIDED", "FASTER", "SLOWER", "SAME"};
  return names[static_cast<std::size_t>(answer)];
}

std::size_t fewest_pairs(const CompareRule& rule) {
  std::size_t n = 1;
  while (fewest_successes(n, half(rule.error)) > n) ++n;
  return n;
}

Answer answer_of(const std::optional<Interval>& interval, double margin) {
  const double limit = std::log1p(margin);
  if (!interval) return Answer::undecided;
  if (interval->high < -limit) return Answer::faster;
  if (interval->low > limit) return Answer::slower;
  if (interval->low > -limit && interval->high < limit) return Answer::same;
  return Answer::undecided;
}

Comparison::Comparison(const CompareRule& rule) : rule_(rule), margin_(std::log1p(rule.margin)) {}

void Comparison::add(double log_ratio) {
  log_ratios_.push_back(log_ratio);
  // One pair more asks for as many successes as before or for one more.
  const std::size_t n = log_ratios_.size();
  if (enough_ > n || log_e_value(enough_, n) < -std::log(half(rule_.error))) ++enough_;
  below_low_ += log_ratio < -margin_ ? 1 : 0;
  above_low_ += log_ratio > -margin_ ? 1 : 0;
  below_high_ += log_ratio < margin_ ? 1 : 0;
  above_high_ += log_ratio > margin_ ? 1 : 0;
}

Answer Comparison::answer() const {
  if (below_low_ >= enough_) return Answer::faster;
  if (above_high_ >= enough_) return Answer::slower;
  if (above_low_ >= enough_ && below_high_ >= enough_) return Answer::same;
  return Answer::undecided;
}

std::size_t Comparison::best() const {
  return std::max({below_low_, above_high_, std::min(above_low_, below_high_)});
}

Compared Comparison::compared() const {
  std::vector<double> sorted = log_ratios_;
  std::sort(sorted.begin(), sorted.end());
  Compared compared;
  compared.pairs = sorted.size();
  compared.log_ratio = quantile(sorted, 0.5);
  compared.interval = median_bounds(sorted, rule_.error);
  compared.answer = answer_of(compared.interval, rule_.margin);
  if (compared.answer == Answer::undecided)
    compared.expected_pairs = expected_trials(best(), compared.pairs, half(rule_.error));
  return compared;
}

Compared combine(std::span<const Compared> parts, double margin) {
  Compared all;
  std::vector<Estimate> ratios;
  for (const Compared& part : parts) {
    all.pairs += part.pairs;
    ratios.push_back({part.log_ratio, part.interval});
  }
  const Estimate mean = mean_of(ratios).value_or(Estimate{});
  all.log_ratio = mean.value;
  all.interval = mean.interval;
  all.answer = answer_of(all.interval, margin);
  return all;
}

namespace {

// z with P(|Z| > z) = error, Z of the normal law.
double normal_quantile(double error) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2)) > error ? low : high) = middle;
  }
  return high;
}

// Factor by which an interval is wider that may miss more rarely than those of records.
double widening(double error) {
  constexpr double known = 1 - interval_level;
  return error < known ? normal_quantile(error) / normal_quantile(known) : 1;
}

// ln of the largest ratio of two looks at the control.
double drift(const Interval& a, const Interval& b) {
  return std::log(std::max(a.high, b.high) / std::min(a.low, b.low));
}

}  // namespace

Estimate estimate_of_samples(std::span<const double> samples_ns) {
  constexpr double of_one_start = 0.01;
  StartTurns logs = logs_of(samples_ns);
  std::sort(logs.begin(), logs.end());
  if (const auto median = median_interval(logs, interval_level))
    return {quantile(logs, 0.5), Interval{median->low - of_one_start, median->high + of_one_start}};
  const std::array starts = {time_of_start(logs)};
  return *time_of_starts(starts);
}

Compared compare_stored(const StoredTime& a, const StoredTime& b, const CompareRule& rule) {
  Compared compared;
  compared.pairs = std::min(a.samples, b.samples);
  compared.log_ratio = b.log_ns.value - a.log_ns.value;
  if (a.control_ns && b.control_ns) {
    const double both =
        std::hypot(a.log_ns.interval->half_width(), b.log_ns.interval->half_width());
    const double half = both * widening(rule.error) + drift(*a.control_ns, *b.control_ns);
    compared.interval = {compared.log_ratio - half, compared.log_ratio + half};
  }
  compared.answer = answer_of(compared.interval, rule.margin);
  return compared;
}

}  // namespace kbench
