#include "measure/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace kbench {

Series::Series(const RunEpochs& run, const PaceRule& rule, const Pace& pace)
    : run_(run), rule_(rule), null_(rule, pace) {
  taken_.pace = pace;
}

bool Series::turn(std::uint32_t warmups, std::uint32_t samples) {
  if (!knows_null_ && !null_.take(run_)) return false;
  knows_null_ = true;
  Epochs epochs = epochs_of(taken_.pace, rule_);
  epochs.warmups = warmups;
  epochs.samples = samples;
  epochs.seed = static_cast<std::uint32_t>(taken_.samples_ns.size());
  const auto taken = run_(epochs);
  if (!taken || taken->empty()) return false;
  const auto calls = static_cast<double>(taken_.pace.calls);
  last_ = taken->size();
  if (raise_calls(median_of(*taken) / calls, rule_, taken_.pace)) {
    drop();
    return true;
  }
  for (const double ns : *taken) taken_.samples_ns.push_back(ns / calls);
  return true;
}

void Series::drop() {
  taken_.samples_ns.clear();
  last_ = 0;
}

bool Series::warm_up(std::uint32_t calls) {
  Epochs epochs = epochs_of(taken_.pace, rule_);
  epochs.warmups = calls;
  const auto samples = run_(epochs);
  return samples && !samples->empty();
}

double Series::last_ns() const {
  const std::span all(taken_.samples_ns);
  return net_ns(median_of(all.last(std::min(last_, all.size()))), null_.ns());
}

bool Series::is_narrow(double width) const {
  std::vector<double> sorted = taken_.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  const auto interval = median_interval(sorted, 0.95);
  return interval && interval->high - interval->low <= width * quantile(sorted, 0.5);
}

Sampled Series::finish(Stop stop) const {
  Sampled sampled = taken_;
  sampled.stop = stop;
  sampled.null_ns = null_.ns();
  for (double& ns : sampled.samples_ns) ns = net_ns(ns, sampled.null_ns);
  return sampled;
}

namespace {

constexpr double longest_turn_ns = 4e6;  // the judge has something to do between turns, too
constexpr double most_samples_of_a_turn = 64;
constexpr double most_calls_of_a_turn = 4e6;  // calls take longer than a clock of zeros says
constexpr std::uint64_t most_calls = 1'000'000;
constexpr std::size_t fewest = 7;     // samples when the budget is spent
constexpr double most_budgets = 10;   // budgets after which three are enough
constexpr double shortest_ns = 0.01;  // time of a call: less cannot be told

std::optional<double> one_sample(const RunEpochs& run, const Epochs& epochs) {
  const auto samples = run(epochs);
  if (!samples || samples->empty()) return std::nullopt;
  return std::max(samples->front(), 1.0);
}

std::uint32_t samples_of_a_turn(const Pace& pace, double turn_ns, std::size_t wanted) {
  const double epoch_ns = std::max(1.0, pace.call_ns * static_cast<double>(pace.calls));
  const double most =
      std::min(most_samples_of_a_turn, most_calls_of_a_turn / static_cast<double>(pace.calls));
  const double fitting = std::clamp(turn_ns / epoch_ns, 1.0, std::max(most, 1.0));
  return static_cast<std::uint32_t>(std::min(fitting, static_cast<double>(wanted)));
}

// Takes samples until there are enough.
class Taking {
 public:
  Taking(const RunEpochs& run, const SamplingRule& rule, const Clock& now, const Pace& pace)
      : rule_(rule), now_(now), begin_(now()), series_(run, rule.pace, pace) {
    wanted_ = rule.exactly > 0 ? rule.exactly : rule.least;
  }

  std::optional<Sampled> take() {
    if (rule_.warmups > 0 && !series_.warm_up(rule_.warmups)) return std::nullopt;
    for (;;) {
      if (!series_.turn(0, samples_of_a_turn(series_.pace(), turn_ns_, left())))
        return std::nullopt;
      if (const auto stop = why_stop()) return series_.finish(*stop);
    }
  }

 private:
  std::size_t left() const { return wanted_ - std::min(wanted_ - 1, series_.size()); }

  // The samples are looked at as their number grows by a quarter: the fewer looks, the nearer the
  // interval is to what it says.
  std::optional<Stop> why_stop() {
    const std::size_t count = series_.size();
    if (rule_.exactly > 0) return count < wanted_ ? std::nullopt : std::optional(Stop::count);
    if (count >= wanted_) {
      wanted_ = count + count / 4 + 1;
      if (series_.is_narrow(rule_.width)) return Stop::width;
    }
    const double budgets = (now_() - begin_) / rule_.budget_ns;
    const bool is_enough = count >= fewest || (count >= 3 && budgets >= most_budgets);
    return budgets >= 1 && is_enough ? std::optional(Stop::budget) : std::nullopt;
  }

  const SamplingRule& rule_;
  const Clock& now_;
  double begin_;
  double turn_ns_ = std::min(longest_turn_ns, rule_.budget_ns);
  Series series_;
  std::size_t wanted_;
};

}  // namespace

Epochs epochs_of(const Pace& pace, const PaceRule& rule) {
  Epochs epochs;
  epochs.calls = pace.calls;
  epochs.cold = rule.cold ? 1 : 0;
  return epochs;
}

std::string_view stop_name(Stop stop) {
  constexpr std::string_view names[] = {"width", "budget", "count", "decided"};
  return names[static_cast<std::size_t>(stop)];
}

double net_ns(double call_ns, double null_ns) { return std::max(call_ns - null_ns, shortest_ns); }

bool raise_calls(double call_ns, const PaceRule& rule, Pace& pace) {
  const double count = static_cast<double>(pace.calls);
  if (rule.cold || pace.calls >= most_calls || count * call_ns >= rule.epoch_ns / 2) return false;
  const double wanted = std::clamp(std::ceil(rule.epoch_ns / call_ns), 2 * count, 16 * count);
  pace.calls = std::min(static_cast<std::uint64_t>(wanted), most_calls);
  pace.call_ns = call_ns;
  return true;
}

std::optional<Pace> find_pace(const RunEpochs& run, const PaceRule& rule) {
  if (rule.cold) {
    const auto first = one_sample(run, epochs_of({}, rule));
    const auto second = first ? one_sample(run, epochs_of({}, rule)) : std::nullopt;
    if (!second) return std::nullopt;
    return Pace{1, std::min(*first, *second)};
  }
  constexpr int confirmations = 2;
  constexpr double long_epochs = 400;  // a call that takes so many need not be seen twice more
  Pace pace{1, INFINITY};
  for (int confirmed = 0; confirmed < confirmations;) {
    const auto ns = one_sample(run, epochs_of(pace, rule));
    if (!ns) return std::nullopt;
    const bool is_long = pace.calls == 1 && *ns >= long_epochs * rule.epoch_ns;
    pace.call_ns = std::min(pace.call_ns, *ns / static_cast<double>(pace.calls));
    const double wanted = std::max(1.0, std::ceil(rule.epoch_ns / pace.call_ns));
    const double most = std::min(16.0 * static_cast<double>(pace.calls), double{most_calls});
    const bool fits = wanted <= 1.25 * static_cast<double>(pace.calls) || pace.calls == most_calls;
    confirmed = fits ? confirmed + (is_long ? confirmations : 1) : 0;
    pace.calls = std::max(pace.calls, static_cast<std::uint64_t>(std::min(wanted, most)));
  }
  return pace;
}

NullCalls::NullCalls(const PaceRule& rule, const Pace& pace, std::uint32_t samples) {
  epochs_ = epochs_of(pace, rule);
  epochs_.kind = CallKind::null;
  epochs_.samples = rule.cold ? 31 : samples;
  epochs_.calls = rule.cold ? 1 : 2000;
  epochs_.cold = 0;  // its arguments stay where a candidate's are
}

bool NullCalls::take(const RunEpochs& run) {
  const auto samples = run(epochs_);
  if (!samples) return false;
  for (const double ns : *samples) calls_ns_.push_back(ns / static_cast<double>(epochs_.calls));
  return true;
}

double NullCalls::ns() const { return summarize(calls_ns_).p10; }

std::optional<double> measure_control(const RunEpochs& run) {
  Epochs epochs;
  epochs.kind = CallKind::control;
  epochs.samples = 7;
  const auto samples = run(epochs);
  if (!samples || samples->empty()) return std::nullopt;
  return *std::min_element(samples->begin(), samples->end());
}

std::optional<Sampled> take_samples(const RunEpochs& run, const SamplingRule& rule,
                                    const Clock& now) {
  const auto before = measure_control(run);
  if (!before) return std::nullopt;
  const auto pace = find_pace(run, rule.pace);
  if (!pace) return std::nullopt;
  auto sampled = Taking(run, rule, now, *pace).take();
  const auto after = sampled ? measure_control(run) : std::nullopt;
  if (!after) return std::nullopt;
  sampled->control_ns = {*before, *after};
  return sampled;
}

}  // namespace kbench
