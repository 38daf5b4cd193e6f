#include "measure/in_turn.hpp"

#include <algorithm>
#include <cmath>

#include "measure/sampling.hpp"

namespace kbench {
namespace {

// A process that was just started meets most of its pages for the first time: calls of so long do
// not count.
constexpr double start_calls_ns = 300'000;

// Short calls find in the caches and predictors what the other one left there: calls that do not
// count bring back what many would find. Long calls spend that time better on another round.
struct TurnShape {
  double up_to_ns;  // limit of a sample
  double warm_ns;   // duration of calls that do not count
  std::uint32_t samples;
};
constexpr TurnShape turn_shapes[] = {
    {100'000, 100'000, 3}, {1'000'000, 150'000, 2}, {INFINITY, 0, 1}};

// Turns of so long together are worth fewer rounds.
constexpr double long_turns_ns = 5e7;
constexpr std::size_t fewest_long = 3;

std::uint32_t calls_filling(double ns, const Pace& pace) {
  return static_cast<std::uint32_t>(std::ceil(ns / std::max(pace.call_ns, 1.0)));
}

const TurnShape& shape_of(const Series& series) {
  return *std::find_if(std::begin(turn_shapes), std::end(turn_shapes), [&](const TurnShape& shape) {
    return series.sample_ns() <= shape.up_to_ns;
  });
}

double turn_ns(const Series& series) {
  const TurnShape& shape = shape_of(series);
  return shape.warm_ns + shape.samples * series.sample_ns();
}

void share_calls(Series& first, Series& second) {
  if (!are_alike(first.pace().call_ns, second.pace().call_ns)) return;
  const std::uint64_t calls = std::max(first.pace().calls, second.pace().calls);
  first.set_calls(calls);
  second.set_calls(calls);
}

class Rounds {
 public:
  Rounds(Series& first, Series& second, const InTurnRule& rule)
      : first_(first), second_(second), rule_(rule) {}

  bool hold_all(std::mt19937_64& random) {
    std::size_t wanted = how_many();
    constexpr int most_drops = 8;  // calls that seem to take no time end here
    for (int drops = 0; first_log_ns_.size() < wanted;) {
      if (!hold(random)) return false;
      if (is_dropped() && ++drops < most_drops) {
        begin_anew();
        wanted = how_many();
        continue;
      }
      first_log_ns_.push_back(std::log(first_.last_ns()));
      second_log_ns_.push_back(std::log(second_.last_ns()));
    }
    return true;
  }

  StartTurns first_log_ns_, second_log_ns_;

 private:
  std::size_t how_many() const {
    if (rule_.exactly > 0) return rule_.exactly;
    const double fit = rule_.budget_ns / (turn_ns(first_) + turn_ns(second_));
    const bool is_long = turn_ns(first_) + turn_ns(second_) > long_turns_ns;
    const std::size_t fewest = is_long ? fewest_long : rule_.fewest;
    return std::clamp(static_cast<std::size_t>(std::min(fit, 1e6)), fewest, rule_.most);
  }

  bool hold(std::mt19937_64& random) {
    const bool is_first = random() % 2 == 0;
    return turn(is_first ? first_ : second_) && turn(is_first ? second_ : first_);
  }

  bool turn(Series& series) const {
    const TurnShape& shape = shape_of(series);
    return series.turn(calls_filling(shape.warm_ns, series.pace()),
                       rule_.exactly > 0 ? 1 : shape.samples);
  }

  bool is_dropped() const { return first_.size() == 0 || second_.size() == 0; }

  // The other one begins anew, too, where one has dropped what it took: pairs are of the same
  // number of calls.
  void begin_anew() {
    for (Series* series : {&first_, &second_}) series->drop();
    share_calls(first_, second_);
    first_log_ns_.clear();
    second_log_ns_.clear();
  }

  Series& first_;
  Series& second_;
  const InTurnRule& rule_;
};

std::optional<Pace> pace_of(const TimedSide& side, const PaceRule& rule) {
  return side.pace ? side.pace : find_pace(side.run, rule);
}

}  // namespace

bool are_alike(double call_ns, double other_ns) {
  constexpr double alike = 2;
  return std::max(call_ns, other_ns) <= alike * std::min(call_ns, other_ns);
}

std::optional<InTurn> take_in_turn(const TimedSide& first, const TimedSide& second,
                                   const InTurnRule& rule, std::mt19937_64& random) {
  const auto pace = pace_of(first, rule.pace);
  const auto other_pace = pace ? pace_of(second, rule.pace) : std::nullopt;
  if (!other_pace) return std::nullopt;
  Series one(first.run, rule.pace, *pace);
  Series other(second.run, rule.pace, *other_pace);
  share_calls(one, other);
  for (Series* series : {&one, &other}) {
    const bool is_short = series->pace().call_ns < start_calls_ns;
    const std::uint32_t calls =
        std::max(is_short ? calls_filling(start_calls_ns, series->pace()) : 0, rule.warmups);
    if (calls > 0 && !series->warm_up(calls)) return std::nullopt;
  }
  Rounds rounds(one, other, rule);
  if (!rounds.hold_all(random)) return std::nullopt;
  const Stop stop = rule.exactly > 0 ? Stop::count : Stop::budget;
  return InTurn{one.finish(stop), other.finish(stop), std::move(rounds.first_log_ns_),
                std::move(rounds.second_log_ns_)};
}

}  // namespace kbench
