#include "measure/in_turn.hpp"

#include <algorithm>
#include <cmath>

#include "measure/series.hpp"

namespace kbench {
namespace {

// Short calls find in the caches and predictors what the other one left there: calls that do not
// count bring back what many would find. For long calls that time is better spent on another round.
struct TurnShape {
  double up_to_ns;  // of a sample
  double warm_ns;   // of calls that do not count
  std::uint32_t samples;
};
constexpr TurnShape turn_shapes[] = {
    {100'000, 100'000, 4}, {1'000'000, 100'000, 2}, {INFINITY, 0, 1}};

std::uint32_t calls_in(double ns, const Series& series) {
  return static_cast<std::uint32_t>(std::ceil(ns / std::max(series.pace().call_ns, 1.0)));
}

const TurnShape& shape_of(const Series& series) {
  return *std::find_if(std::begin(turn_shapes), std::end(turn_shapes), [&](const TurnShape& shape) {
    return series.sample_ns() <= shape.up_to_ns;
  });
}

void share_calls(Series& first, Series& second) {
  if (!are_alike(first.pace().call_ns, second.pace().call_ns)) return;
  const std::uint64_t calls = std::max(first.pace().calls, second.pace().calls);
  first.set_calls(calls);
  second.set_calls(calls);
}

class Rounds {
 public:
  Rounds(Series& first, Series& second, const InTurnRule& rule, const Clock& now)
      : first_(first), second_(second), rule_(rule), now_(now), begin_(now()) {
    wanted_ = rule.sampling.exactly > 0 ? rule.sampling.exactly : rule.sampling.least;
    least_ = fewest_pairs({.error = rule.error});
  }

  bool hold(std::mt19937_64& random) {
    const bool is_first = random() % 2 == 0;
    if (!turn(is_first ? first_ : second_) || !turn(is_first ? second_ : first_)) return false;
    const bool is_undisturbed = rule_.each_round();
    if (is_dropped()) {
      rounds_.clear();
    } else {
      rounds_.push_back({std::log(second_.last_ns() / first_.last_ns()), is_undisturbed});
    }
    return true;
  }

  // They are looked at as their number grows by a quarter, as single ones are.
  std::optional<Stop> why_stop() {
    const std::size_t count = std::min(first_.size(), second_.size());
    const SamplingRule& rule = rule_.sampling;
    if (rule_.exactly > 0)
      return rounds_.size() < rule_.exactly ? std::nullopt : std::optional(Stop::count);
    if (rule.exactly > 0) return count < wanted_ ? std::nullopt : std::optional(Stop::count);
    if (count >= wanted_) {
      wanted_ = count + count / 4 + 1;
      if (is_narrow()) return Stop::width;
    }
    const double budgets = (now_() - begin_) / rule.budget_ns;
    if (budgets < 1) return std::nullopt;
    return budgets >= budgets_wanted() ? std::optional(Stop::budget) : std::nullopt;
  }

  const std::vector<TurnPair>& all() const { return rounds_; }

 private:
  // Where one has dropped what it took, the other begins anew, too: pairs are of the same number of
  // calls.
  bool is_dropped() {
    if (first_.size() > 0 && second_.size() > 0) return false;
    for (Series* series : {&first_, &second_}) series->drop();
    share_calls(first_, second_);
    return true;
  }

  bool turn(Series& series) const {
    const TurnShape& shape = shape_of(series);
    return series.turn(calls_in(shape.warm_ns, series),
                       rule_.sampling.exactly > 0 ? 1 : shape.samples);
  }

  double budgets_wanted() const {
    if (rounds_.size() < least_) return rule_.most_budgets;
    const auto interval = bounds();
    const bool is_fair = interval && interval->high - interval->low <= rule_.fair_width;
    return is_fair ? 1 : rule_.fair_budgets;
  }

  // None while others disturb: how long they do is not known.
  std::optional<Interval> bounds() const {
    std::vector<double> sorted = telling_ratios(rounds_, 0);
    std::sort(sorted.begin(), sorted.end());
    return median_bounds(sorted, rule_.error);
  }

  bool is_narrow() const {
    const auto interval = bounds();
    const double width = rule_.sampling.width;
    return interval && interval->high - interval->low <= rule_.width && first_.is_narrow(width) &&
           second_.is_narrow(width);
  }

  Series& first_;
  Series& second_;
  const InTurnRule& rule_;
  const Clock& now_;
  double begin_;
  std::vector<TurnPair> rounds_;
  std::size_t wanted_;
  std::size_t least_;  // rounds that an interval needs
};

bool look_at_control(Series& first, Series& second) {
  return first.looks_at_control() && second.looks_at_control();
}

}  // namespace

std::vector<double> telling_ratios(const std::vector<TurnPair>& rounds, std::size_t least) {
  std::vector<double> all, undisturbed;
  for (const TurnPair& round : rounds) {
    all.push_back(round.log_ratio);
    if (round.is_undisturbed) undisturbed.push_back(round.log_ratio);
  }
  return undisturbed.size() < least ? all : undisturbed;
}

bool are_alike(double call_ns, double other_ns) {
  constexpr double alike = 2;
  return std::max(call_ns, other_ns) <= alike * std::min(call_ns, other_ns);
}

std::optional<InTurn> take_in_turn(const RunEpochs& first, const RunEpochs& second,
                                   const InTurnRule& rule, const Clock& now,
                                   std::mt19937_64& random) {
  const auto pace = find_pace(first, rule.sampling.pace);
  const auto other_pace = pace ? find_pace(second, rule.sampling.pace) : std::nullopt;
  if (!other_pace) return std::nullopt;
  Series one(first, rule.sampling.pace, *pace);
  Series other(second, rule.sampling.pace, *other_pace);
  share_calls(one, other);
  if (!look_at_control(one, other)) return std::nullopt;
  for (Series* series : {&one, &other}) {
    const std::uint32_t first =
        series->pace().call_ns < first_calls_ns ? calls_in(first_calls_ns, *series) : 0;
    const std::uint32_t calls = std::max(first, rule.sampling.warmups);
    if (calls > 0 && !series->warm_up(calls)) return std::nullopt;
  }
  Rounds rounds(one, other, rule, now);
  std::optional<Stop> stop;
  while (!stop) {
    if (!rounds.hold(random)) return std::nullopt;
    stop = rounds.why_stop();
  }
  if (!look_at_control(one, other)) return std::nullopt;
  return InTurn{one.finish(*stop), other.finish(*stop), rounds.all(), *stop};
}

}  // namespace kbench
