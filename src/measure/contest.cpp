#include "measure/contest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/in_turn.hpp"

namespace kbench {
namespace {

// Shape of a meeting: how often all that meet have their turns, by the longest sample; and what a
// turn is, by one's own.
struct MeetingShape {
  double up_to_ns;  // limit of a sample
  int blocks;       // blocks of two rounds each
  std::uint32_t warmups;
  std::uint32_t samples;  // samples of a turn
};

// Samples of the null call in every meeting.
constexpr std::uint32_t null_samples = 3;

// A load costs some 10 ms, so a meeting measures for about as long. Short calls find in the caches
// what another one left there: one call that does not count brings back what many would find. Long
// ones spend the time of that call and of a second sample better on another round.
constexpr MeetingShape meeting_shapes[] = {
    {200'000, 2, 1, 3}, {2'000'000, 4, 0, 1}, {INFINITY, 2, 0, 1}};

// Sample of another one after which caches, predictors and memory are that one's entirely.
constexpr double long_turn_ns = 2e6;
constexpr double warm_ns = 200'000;  // duration of calls that do not count, after that

constexpr double first_calls_ns = 2e6;  // duration of a load's calls that do not count
constexpr double most_first_calls = 8;

const MeetingShape& shape_for(double sample_ns) {
  return *std::find_if(std::begin(meeting_shapes), std::end(meeting_shapes),
                       [&](const MeetingShape& shape) { return sample_ns <= shape.up_to_ns; });
}

// Number of calls that fill `ns`, and no more than `most`.
std::uint32_t calls_in(double ns, const Pace& pace, double most = 1e6) {
  return static_cast<std::uint32_t>(std::min(most, ns / std::max(pace.call_ns, 1.0)));
}

double sample_ns(const Pace& pace) { return pace.call_ns * static_cast<double>(pace.calls); }

CompareRule rule_of_a_pair(const CompareRule& rule, std::size_t contenders) {
  return rule.of_each(contenders * (contenders - 1) / 2);
}

void share_calls(std::vector<Sampled>& taken) {
  double fastest = INFINITY;
  for (const Sampled& c : taken) fastest = std::min(fastest, c.pace.call_ns);
  const auto is_alike = [&](const Sampled& c) { return are_alike(c.pace.call_ns, fastest); };
  std::uint64_t most = 1;
  for (const Sampled& c : taken) {
    if (is_alike(c)) most = std::max(most, c.pace.calls);
  }
  for (Sampled& c : taken) {
    if (is_alike(c)) c.pace.calls = most;
  }
}

// False where a call failed.
bool find_paces(std::span<const RunEpochs> runs, const PaceRule& rule,
                std::vector<Sampled>& taken) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto pace = find_pace(runs[i], rule);
    if (!pace) return false;
    taken[i].pace = *pace;
  }
  share_calls(taken);
  return true;
}

// Takes a sample of the control for each of those that are loaded; false where that fails.
bool look_at_control(std::span<const RunEpochs> runs, std::vector<Sampled>& taken) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    const auto ns = measure_control(runs[i]);
    if (!ns) return false;
    taken[i].control_ns.push_back(*ns);
  }
  return true;
}

// A meeting of fresh loads.
class Meeting {
 public:
  Meeting(std::span<const RunEpochs> runs, const ContestRule& rule, std::mt19937_64& random,
          Contested& state)
      : runs_(runs), rule_(rule), random_(random), state_(state) {}

  // False where a call failed.
  bool hold() {
    std::vector<std::size_t> order(runs_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);  // the last one has the caches
    for (const std::size_t i : order) {
      if (!state_.contest.is_out(i) && !warm_up(i)) return false;
    }
    do {
      if (!take_turns(order)) return false;
    } while (have_more_calls());
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const std::vector<double>& own = turns_[i].samples_ns;
      std::vector<double>& all = state_.taken[i].samples_ns;
      all.insert(all.end(), own.begin(), own.end());
    }
    add_ratios();
    return true;
  }

 private:
  // Samples that one has taken in this meeting, without the null call.
  struct Turns {
    std::vector<double> samples_ns;
    std::vector<double> log_times;  // one a round
  };

  bool take_turns(std::vector<std::size_t>& order) {
    turns_.assign(runs_.size(), {});
    longest_ns_ = longest_sample_ns();
    for (int block = 0; block < shape_for(longest_ns_).blocks; ++block) {
      std::shuffle(order.begin(), order.end(), random_);
      if (!round(order)) return false;
      std::reverse(order.begin(), order.end());
      if (!round(order)) return false;
    }
    return true;
  }

  // Raises the calls of a sample where their number was found while they were much slower: what was
  // taken counts for nothing then.
  bool have_more_calls() {
    bool have_more = false;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      Sampled& taken = state_.taken[i];
      if (turns_[i].samples_ns.empty()) continue;
      const double call_ns = median_of(turns_[i].samples_ns) + taken.null_ns;
      have_more |= raise_calls(call_ns, rule_.pace, taken.pace);
    }
    if (have_more) share_calls(state_.taken);
    return have_more;
  }

  // The first calls of a load are slower than the rest. The null call depends on where things lie,
  // too: it is looked at in every load.
  bool warm_up(std::size_t i) {
    Sampled& taken = state_.taken[i];
    Epochs first = epochs_of(taken.pace, rule_.pace);
    first.warmups = calls_in(first_calls_ns, taken.pace, most_first_calls);
    if (!runs_[i](first)) return false;
    NullCalls null(rule_.pace, taken.pace, null_samples);
    if (!null.take(runs_[i])) return false;
    taken.null_ns = null.ns();
    return true;
  }

  double longest_sample_ns() const {
    double longest_ns = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!state_.contest.is_out(i))
        longest_ns = std::max(longest_ns, sample_ns(state_.taken[i].pace));
    }
    return longest_ns;
  }

  bool round(std::span<const std::size_t> order) {
    for (const std::size_t i : order) {
      if (!state_.contest.is_out(i) && !turn(i)) return false;
    }
    return true;
  }

  bool turn(std::size_t i) {
    const Sampled& taken = state_.taken[i];
    const auto samples = runs_[i](turn_of(taken.pace));
    if (!samples || samples->empty()) return false;
    std::vector<double> own;
    for (const double ns : *samples)
      own.push_back(net_ns(ns / static_cast<double>(taken.pace.calls), taken.null_ns));
    turns_[i].log_times.push_back(std::log(median_of(own)));
    turns_[i].samples_ns.insert(turns_[i].samples_ns.end(), own.begin(), own.end());
    return true;
  }

  // Adds, for every two that were in, the median of their log ratio over the rounds.
  void add_ratios() {
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      for (std::size_t j = i + 1; j < turns_.size(); ++j) {
        const std::vector<double>& first = turns_[i].log_times;
        const std::vector<double>& second = turns_[j].log_times;
        if (first.empty() || second.empty()) continue;
        std::vector<double> ratios;
        for (std::size_t r = 0; r < first.size(); ++r) ratios.push_back(second[r] - first[r]);
        state_.contest.add(i, j, median_of(ratios));
      }
    }
  }

  Epochs turn_of(const Pace& pace) {
    Epochs epochs = epochs_of(pace, rule_.pace);
    const MeetingShape& own = shape_for(sample_ns(pace));
    epochs.samples = own.samples;
    epochs.warmups = own.warmups;
    if (longest_ns_ > long_turn_ns) epochs.warmups = std::max(own.warmups, calls_in(warm_ns, pace));
    epochs.seed = static_cast<std::uint32_t>(random_());
    return epochs;
  }

  std::span<const RunEpochs> runs_;
  const ContestRule& rule_;
  std::mt19937_64& random_;
  Contested& state_;
  double longest_ns_ = 0;     // longest sample
  std::vector<Turns> turns_;  // one each; empty for those that are out
};

void note_end(Contested& state) {
  for (Sampled& taken : state.taken)
    taken.stop = state.is_budget_spent ? Stop::budget : Stop::decided;
}

}  // namespace

bool is_spent(double budgets, std::size_t meetings, std::size_t fewest, bool agree) {
  if (budgets < 1 || meetings >= fewest) return budgets >= 1;
  const double in_all = budgets * static_cast<double>(fewest) / static_cast<double>(meetings);
  return budgets >= 10 && !(agree && in_all <= 100);
}

Contest::Contest(std::size_t contenders, const CompareRule& rule)
    : count_(contenders),
      pairs_(contenders * contenders, Comparison(rule_of_a_pair(rule, contenders))),
      out_(contenders, false) {}

Comparison& Contest::pair(std::size_t first, std::size_t second) {
  return pairs_[first * count_ + second];
}
const Comparison& Contest::pair(std::size_t first, std::size_t second) const {
  return pairs_[first * count_ + second];
}

void Contest::add(std::size_t first, std::size_t second, double log_ratio) {
  pair(first, second).add(log_ratio);
}

bool Contest::settle() {
  bool is_settled = true;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = i + 1; j < count_; ++j) {
      if (out_[i] || out_[j]) continue;
      const Answer answer = pair(i, j).answer();
      if (answer == Answer::faster) out_[i] = true;
      if (answer == Answer::slower) out_[j] = true;
      is_settled &= answer != Answer::undecided;
    }
  }
  return is_settled;
}

std::size_t Contest::how_many_are_in() const {
  return static_cast<std::size_t>(std::count(out_.begin(), out_.end(), false));
}

Compared Contest::compare(std::size_t first, std::size_t second) const {
  if (first < second) return pair(first, second).compared();
  Compared compared = pair(second, first).compared();
  compared.log_ratio = -compared.log_ratio;
  if (compared.interval) compared.interval = {-compared.interval->high, -compared.interval->low};
  if (compared.answer == Answer::faster) {
    compared.answer = Answer::slower;
  } else if (compared.answer == Answer::slower) {
    compared.answer = Answer::faster;
  }
  return compared;
}

std::optional<Contested> contest(std::size_t contenders, const LoadAll& load,
                                 const ContestRule& rule, const Clock& now,
                                 std::mt19937_64& random) {
  Contested state{std::vector<Sampled>(contenders), Contest(contenders, rule.compare)};
  const std::size_t fewest = fewest_pairs(rule_of_a_pair(rule.compare, contenders));
  double begin = now();
  auto runs = load(state.contest);
  if (!runs || !look_at_control(*runs, state.taken)) return std::nullopt;
  if (!find_paces(*runs, rule.pace, state.taken)) return std::nullopt;
  for (std::size_t meetings = 1;; ++meetings) {
    if (!Meeting(*runs, rule, random, state).hold()) return std::nullopt;
    const std::size_t before = state.contest.how_many_are_in();
    if (state.contest.settle()) break;
    if (state.contest.how_many_are_in() < before) begin = now();
    state.is_budget_spent =
        is_spent((now() - begin) / rule.budget_ns, meetings, fewest, state.contest.agrees());
    if (state.is_budget_spent) break;
    runs = load(state.contest);
    if (!runs) return std::nullopt;
  }
  note_end(state);
  if (!look_at_control(*runs, state.taken)) return std::nullopt;
  return state;
}

}  // namespace kbench
