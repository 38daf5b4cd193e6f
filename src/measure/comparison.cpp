#include "measure/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "measure/sign_test.hpp"

namespace kbench {
namespace {

constexpr double half(double error) { return error / 2; }  // for each side

}  // namespace

std::string_view answer_name(Answer answer) {
  switch (answer) {
    case Answer::faster:
      return "FASTER";
    case Answer::slower:
      return "SLOWER";
    case Answer::same:
      return "SAME";
    case Answer::undecided:
      break;
  }
  return "UNDECIDED";
}

// A median below the value of rank n + 1 - k would have k values above it, which the sign test
// rejects; so it is for k from the other side.
std::optional<Interval> median_bounds(std::span<const double> sorted, double error) {
  const std::size_t n = sorted.size();
  const std::size_t k = fewest_successes(n, half(error));
  if (k > n) return std::nullopt;
  return Interval{sorted[n - k], sorted[k - 1]};
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
  Interval sum;
  bool is_bounded = !parts.empty();
  for (const Compared& part : parts) {
    all.pairs += part.pairs;
    all.log_ratio += part.log_ratio;
    is_bounded &= part.interval.has_value();
    if (!part.interval) continue;
    sum.low += part.interval->low;
    sum.high += part.interval->high;
  }
  if (parts.empty()) return all;
  const auto count = static_cast<double>(parts.size());
  all.log_ratio /= count;
  if (is_bounded) all.interval = Interval{sum.low / count, sum.high / count};
  all.answer = answer_of(all.interval, margin);
  return all;
}

}  // namespace kbench
