#include "evaluate/beside_reference.hpp"

#include <algorithm>
#include <cmath>

#include "base/secret.hpp"
#include "evaluate/gpu_timing.hpp"
#include "exec/cores.hpp"
#include "machine/state.hpp"
#include "measure/rank_interval.hpp"
#include "measure/speedup.hpp"
#include "measure/statistics.hpp"
#include "measure/stored.hpp"

namespace kbench {
namespace {

constexpr double error = 0.01;  // that an interval misses its ratio

// Two processes of one reference differ by so much, as a logarithm: where its code, its constants
// and what it allocates came to lie (bench/speedup).
constexpr double of_one_reference = 0.04;

TimedReferences::Found find(const EvaluateOptions& options, const CandidatePlan& candidate) {
  if (engine_of(options.judge) != Engine::kbench)
    return {nullptr, "--engine google-benchmark times no reference"};
  if (options.references == nullptr) return {nullptr, "the reference was not timed"};
  return options.references->beside(candidate);
}

std::optional<std::vector<double>> ends(const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  return std::vector{interval->low, interval->high};
}

StoredSamples stored(const std::vector<double>& samples_ns, const std::vector<double>& control_ns) {
  StoredSamples out{samples_ns};
  if (control_ns.empty()) return out;
  const auto [low, high] = std::minmax_element(control_ns.begin(), control_ns.end());
  out.control_ns = {*low, *high};
  return out;
}

}  // namespace

BesideReference::BesideReference(const PreparedWorkload& workload, const EvaluateOptions& options,
                                 const CandidatePlan& candidate)
    : workload_(workload),
      options_(options),
      cores_(static_cast<int>(usable_cores().size())),
      split_(candidate.cores),
      found_(find(options, candidate)) {
  if (found_.reference == nullptr) return;
  turn_.emplace();
  if (!options.audit) found_.reference->share(candidate.cores);
}

void BesideReference::look_at_load() {
  const auto running = running_tasks();
  if (!running) return;
  running_ += *running - 1;  // this one
  ++looks_;
}

int BesideReference::loads() const {
  constexpr double short_ns = 2e6;  // of the reference's first call
  constexpr int of_short = 3;
  if (found_.reference == nullptr || found_.reference->is_on_gpu()) return 1;
  if (options_.audit || options_.config.iterations_given) return 1;
  return workload_.trials.front().reference.call_ns < short_ns ? of_short : 1;
}

InTurnRule BesideReference::rule() const {
  InTurnRule rule = in_turn_rule(options_);
  if (found_.reference != nullptr && found_.reference->is_on_gpu())
    rule.sampling.pace.epoch_ns = gpu_epoch_ns;
  else
    watch_cores(rule.sampling.pace, split_);
  return rule;
}

std::vector<double> BesideReference::log_ratios() const {
  return telling_ratios(rounds_, fewest_pairs({.error = error}));
}

// 0 where there were enough others.
double BesideReference::disturbed() const {
  const auto count = static_cast<std::size_t>(std::count_if(
      rounds_.begin(), rounds_.end(), [](const TurnPair& round) { return !round.is_undisturbed; }));
  if (log_ratios().size() < rounds_.size() || rounds_.empty()) return 0;
  return static_cast<double>(count) / static_cast<double>(rounds_.size());
}

std::optional<Interval> BesideReference::loads_that_agree() const {
  std::vector<double> sorted = of_loads_;
  std::sort(sorted.begin(), sorted.end());
  std::optional<Interval> best;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const Interval two{sorted[i - 1], sorted[i]};
    if (!best || two.high - two.low < best->high - best->low) best = two;
  }
  return best;
}

// What is not known of other loads: two processes of one reference differ, and by what the two
// loads do that agree best. The last one has most of the turns: where it is the third one that lies
// apart, the two count as well.
Interval BesideReference::with_loads(Interval turns, double quickest_ns) const {
  const auto two = loads_that_agree();
  const double gap = two ? two->high - two->low : 0;
  const double unknown = unknown_of_loads(std::max(of_one_reference, gap), quickest_ns);
  if (two) {
    const double middle = (two->low + two->high) / 2;
    turns = {std::min(turns.low, middle), std::max(turns.high, middle)};
  }
  return {turns.low - unknown, turns.high + unknown};
}

void BesideReference::give_up() {
  found_ = {nullptr, "the reference could not be timed: " + found_.reference->failure()};
  rounds_.clear();
  of_loads_.clear();
  reference_ns_.clear();
}

std::optional<Sampled> BesideReference::take_load(Judgement& candidate, bool is_last) {
  TimedReference& reference = *found_.reference;
  const auto run = is_again_ ? reference.begin_again() : reference.begin_timing();
  is_again_ = true;
  if (!run) return give_up(), std::nullopt;
  std::mt19937_64 random(fresh_secret());
  InTurnRule rule = this->rule();
  constexpr std::size_t of_a_load = 5;
  if (!is_last) rule.exactly = of_a_load;
  rule.each_round = [&] {
    look_at_load();
    const bool was_candidate = candidate.was_disturbed();
    return !reference.was_disturbed() && !was_candidate;
  };
  auto both = take_in_turn(candidate.run_in_turn(), *run, rule, &judges_clock_ns, random);
  if (!both) {
    if (!reference.works()) give_up();
    return std::nullopt;
  }
  constexpr std::size_t of_a_median = 3;
  of_loads_.push_back(median_of(telling_ratios(both->rounds, of_a_median)));
  rounds_.insert(rounds_.end(), both->rounds.begin(), both->rounds.end());
  const auto& taken = both->second.samples_ns;
  reference_ns_.insert(reference_ns_.end(), taken.begin(), taken.end());
  return std::move(both->first);
}

void BesideReference::audit(const Trial& trial, double candidate_ns) {
  if (found_.reference == nullptr) return;
  const auto ns = found_.reference->audit(trial);
  if (!ns) return give_up();
  reference_ns_.push_back(*ns);
  rounds_.push_back({std::log(*ns / candidate_ns)});
  look_at_load();
}

void BesideReference::take_alone() {
  if (found_.reference == nullptr) return;
  const auto run = found_.reference->begin_timing();
  auto sampled = run ? take_samples(*run, rule().sampling, &judges_clock_ns) : std::nullopt;
  if (!sampled) {
    if (!found_.reference->works()) give_up();
    return;
  }
  look_at_load();
  reference_ns_ = std::move(sampled->samples_ns);
  control_ns_ = std::move(sampled->control_ns);
}

// Turns may end when the interval is narrow enough; the number of audited calls is fixed before.
// Where turns went on until the time was over, since a neighbour that comes and goes makes a law
// with several modes, their ranks say more, and their number did not follow from what they said.
std::optional<Interval> BesideReference::interval_of_pairs() const {
  std::vector<double> sorted = log_ratios();
  std::sort(sorted.begin(), sorted.end());
  if (options_.audit) return median_interval(sorted, 1 - error);
  const auto bounds = median_bounds(sorted, error);
  if (bounds && bounds->high - bounds->low <= in_turn_rule(options_).fair_width) return bounds;
  const auto ranks = signed_rank_interval(sorted, 1 - error);
  return ranks ? ranks : bounds;
}

SpeedupEvidence BesideReference::evidence(const Timing& timing) const {
  SpeedupEvidence out;
  if (rounds_.empty()) {
    const Compared apart =
        compare_stored(stored(timing.samples_ns, timing.control_ns.value_or(std::vector<double>{})),
                       stored(reference_ns_, control_ns_), {.error = error});
    out.log_ratio = apart.log_ratio;
    out.log_interval = apart.interval;
    out.pairs = apart.pairs;
  } else {
    const std::vector<double> ratios = log_ratios();
    out.log_ratio = median_of(ratios);
    out.pairs = ratios.size();
    out.log_interval = interval_of_pairs();
    const double quickest_ns = std::min(median_of(reference_ns_), timing.median_ns);
    if (out.log_interval) out.log_interval = with_loads(*out.log_interval, quickest_ns);
  }
  if (looks_ > 0) out.others_running = std::max(0.0, running_ / looks_);
  out.threads = std::max(static_cast<int>(timing.threads.value_or(1)), found_.reference->threads());
  out.cores = cores_;
  out.is_alone = turn_ && turn_->is_alone();
  out.disturbed = disturbed();
  return out;
}

SpeedupRecord BesideReference::record(const Timing& timing) const {
  SpeedupRecord record;
  if (found_.reference == nullptr || reference_ns_.empty()) {
    record.absent = found_.absent.empty() ? "the reference was not timed" : found_.absent;
    return record;
  }
  const SpeedupEvidence found = evidence(timing);
  record.how = rounds_.empty() ? "apart" : "in turn";
  record.pairs = static_cast<std::int64_t>(found.pairs);
  record.evaluator = evaluator_name(found_.reference->evaluator());
  record.threads = found_.reference->threads();
  record.others_running = found.others_running;
  if (!rounds_.empty() && !options_.audit) record.disturbed = found.disturbed;
  if (const std::string why = why_no_ratio(found); !why.empty()) {
    record.absent = why;
    return record;
  }
  const Speedup speedup = speedup_of(found);
  record.ratio = speedup.ratio;
  record.interval = ends(speedup.interval);
  return record;
}

void BesideReference::describe(Timing& timing) const {
  timing.speedup = record(timing);
  if (reference_ns_.empty()) return;
  const Summary summary = summarize(reference_ns_);
  timing.reference_median_ns = summary.median;
  timing.reference_interval_ns = ends(summary.median_interval);
  timing.reference_samples_ns = reference_ns_;
}

}  // namespace kbench
