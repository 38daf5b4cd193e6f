#include "judge/beside_reference.hpp"

#include <algorithm>
#include <cmath>

#include "base/system.hpp"
#include "judge/gpu_timing.hpp"
#include "measure/statistics.hpp"
#include "problem/problem.hpp"

namespace kbench {
namespace {

constexpr std::size_t default_starts = 3;

TimedReferences::Found find(const EvaluateOptions& options, const CandidatePlan& candidate) {
  if (engine_of(options.judge) != Engine::kbench)
    return {nullptr, "--engine google-benchmark times no reference"};
  if (options.references == nullptr) return {nullptr, "the reference was not timed"};
  return options.references->beside(candidate);
}

// Returns the ends of an interval that holds when its logarithm grows by `change`, too.
std::optional<std::vector<double>> ends(const Estimate& log, double change) {
  const Interval further{-std::max(0.0, change), -std::min(0.0, change)};
  return ends_of(exp_of(*log.interval - further));
}

// Other programs, and what runs on the other thread of a core, slow a solution and its reference
// down for longer than a row takes, each by its own factor, which its fastest start shows.
double slowed(const FastestStart& fastest, const std::vector<StartValue>& log_ns) {
  const auto estimate = time_of_starts(log_ns);
  return estimate ? fastest.excess(estimate->value) : 0;
}

std::vector<double> without_logs(const std::vector<StartValue>& starts) {
  std::vector<double> values;
  for (const StartValue& start : starts) values.push_back(std::exp(start.value));
  return values;
}

std::vector<double> ratios_of(const std::vector<StartValue>& first,
                              const std::vector<StartValue>& second) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size() && i < second.size(); ++i)
    ratios.push_back(std::exp(second[i].value - first[i].value));
  return ratios;
}

// Returns the bits of the narrowest number among the inputs that a kernel may calculate with, as a
// solution may use the units for it. Indices and masks do not count.
int narrowest_bits(const Problem& problem) {
  int bits = 32;
  for (const InputPlan& input : problem.inputs) {
    const DTypeInfo& dtype = info(input.tensor.dtype);
    const bool is_calculated = dtype.kind == DTypeKind::floating || dtype.dtype == DType::int8;
    if (is_calculated && !input.tensor.is_scalar) bits = std::min(bits, dtype.bits);
  }
  return bits;
}

// Sizes up to the one that the bound was read at: those below show whether it was disturbed.
std::vector<std::uint64_t> sizes_up_to(const Demand& demand, const Peaks& peaks) {
  std::vector<std::uint64_t> sizes;
  for (const Bandwidth& bandwidth : peaks.bandwidth)
    if (demand.is_cold || sizes.empty() || bandwidth.bytes <= demand.bytes)
      sizes.push_back(bandwidth.bytes);
  return sizes;
}

}  // namespace

BesideReference::BesideReference(const PreparedWorkload& workload, const EvaluateOptions& options,
                                 const CandidatePlan& candidate)
    : workload_(workload),
      options_(options),
      found_(find(options, candidate)),
      random_(fresh_secret()) {
  if (found_.reference == nullptr) return;
  fastest_ = options.references->fastest_of(candidate);
  if (!options.audit) found_.reference->share(candidate.cores);
}

bool BesideReference::has_fixed_starts() const {
  const bool is_on_gpu = found_.reference != nullptr && found_.reference->is_on_gpu();
  return options_.judge.loads > 1 || is_on_gpu || options_.config.iterations_given;
}

// Starts of calls that take long differ by less, and cost more. The first call of all takes longer
// than the rest.
std::size_t BesideReference::fewest_starts() const {
  struct Row {
    double up_to_ns;  // limit of the reference's call
    std::size_t starts;
  };
  constexpr Row rows[] = {{2e6, default_starts}, {20e6, 2}, {INFINITY, 1}};
  if (has_fixed_starts())
    return std::max<std::size_t>(1, static_cast<std::size_t>(options_.judge.loads));
  const double call_ns = reference_log_ns_.empty() ? workload_.trials.front().reference.call_ns
                                                   : std::exp(reference_log_ns_.front().value);
  return std::find_if(std::begin(rows), std::end(rows),
                      [=](const Row& row) { return call_ns < row.up_to_ns; })
      ->starts;
}

bool BesideReference::wants_start() const {
  constexpr std::size_t most_starts = 8;
  constexpr double most_budgets = 10;
  if (log_ns_.size() < fewest_starts()) return true;
  if (log_ns_.size() >= most_starts) return false;
  const double most_ns = most_budgets * options_.judge.budget_seconds * 1e9;
  if (has_fixed_starts() || judges_clock_ns() - begin_ns_ > most_ns) return false;
  const auto estimate = reference_log_ns_.empty() ? time_of_starts(log_ns_)
                                                  : ratio_of_starts(log_ns_, reference_log_ns_);
  return is_wide(*estimate);
}

void BesideReference::give_up() {
  found_ = {nullptr, "the reference could not be timed: " + found_.reference->failure()};
  reference_log_ns_.clear();
  reference_ns_.clear();
}

std::optional<Sampled> BesideReference::take_in_turn_with(TimedReference& reference,
                                                          Judgement& candidate) {
  const std::size_t fewest = fewest_starts();
  // Starts of the reference stay in memory.
  const std::size_t start = reference_log_ns_.size() % std::min(fewest, default_starts);
  const auto side = reference.begin_timing(start);
  if (!side) return give_up(), std::nullopt;
  InTurnRule rule = in_turn_rule(options_);
  rule.budget_ns /= static_cast<double>(fewest);
  if (reference.is_on_gpu()) rule.pace.epoch_ns = gpu_epoch_ns;
  auto both = take_in_turn({candidate.run_in_turn(), pace_}, *side, rule, random_);
  if (!both) {
    if (!reference.works()) give_up();
    return std::nullopt;
  }
  pace_ = both->first.pace;
  reference.know_pace(start, both->second.pace);
  log_ns_.push_back(time_of_start(both->first_log_ns));
  reference_log_ns_.push_back(time_of_start(both->second_log_ns));
  fastest_.note(log_ns_.back().value);
  reference.fastest().note(reference_log_ns_.back().value);
  pairs_ += static_cast<std::int64_t>(both->first_log_ns.size());
  const auto& taken = both->second.samples_ns;
  reference_ns_.insert(reference_ns_.end(), taken.begin(), taken.end());
  return std::move(both->first);
}

std::optional<Sampled> BesideReference::take_start(Judgement& candidate,
                                                   const SamplingRule& alone) {
  if (begin_ns_ == 0) begin_ns_ = judges_clock_ns();
  std::optional<Sampled> sampled;
  if (found_.reference != nullptr) sampled = take_in_turn_with(*found_.reference, candidate);
  if (sampled || candidate.is_finished()) return sampled;
  sampled = take_samples(candidate.run(), alone, &judges_clock_ns);
  if (sampled) log_ns_.push_back(time_of_start(logs_of(sampled->samples_ns)));
  return sampled;
}

void BesideReference::audit(const Trial& trial) {
  if (found_.reference == nullptr) return;
  const auto ns = found_.reference->audit(trial);
  if (!ns) return give_up();
  reference_ns_.push_back(*ns);
}

void BesideReference::end_audit(const std::vector<double>& candidate_ns) {
  log_ns_ = {time_of_start(logs_of(candidate_ns))};
  if (reference_ns_.empty()) return;
  reference_log_ns_ = {time_of_start(logs_of(reference_ns_))};
  pairs_ = static_cast<std::int64_t>(reference_ns_.size());
}

void BesideReference::take_alone() {
  if (found_.reference == nullptr) return;
  const auto side = found_.reference->begin_timing(0);
  SamplingRule rule = sampling_rule(options_);
  auto sampled = side ? take_samples(side->run, rule, &judges_clock_ns) : std::nullopt;
  if (!sampled) {
    if (!found_.reference->works()) give_up();
    return;
  }
  reference_ns_ = std::move(sampled->samples_ns);
}

SpeedupRecord BesideReference::speedup() const {
  SpeedupRecord record;
  const auto estimate = ratio_of_starts(log_ns_, reference_log_ns_);
  if (found_.reference == nullptr || !estimate) {
    record.absent = found_.absent.empty() ? "the reference was not timed" : found_.absent;
    return record;
  }
  record.how = "in turn";
  record.interval = ends(*estimate, slowed(fastest_, log_ns_) -
                                        slowed(found_.reference->fastest(), reference_log_ns_));
  // The middle differs less from run to run than the measured ratio does, whose neighbours differ.
  record.ratio = std::sqrt(record.interval->at(0) * record.interval->at(1));
  record.pairs = pairs_;
  if (log_ns_.size() > 1) record.starts = ratios_of(log_ns_, reference_log_ns_);
  record.evaluator = evaluator_name(found_.reference->evaluator());
  record.threads = found_.reference->threads();
  return record;
}

void BesideReference::describe(Timing& timing) const {
  if (const auto estimate = time_of_starts(log_ns_)) {
    timing.latency_ns = std::exp(estimate->value);
    double most = slowed(fastest_, log_ns_);
    // A solution that was never timed undisturbed is slowed no more than its reference.
    if (found_.reference != nullptr)
      most = std::max(most, slowed(found_.reference->fastest(), reference_log_ns_));
    timing.latency_interval_ns = ends(*estimate, -most);
    timing.interval_ns.reset();  // the median's of all samples, whatever start they are of
    if (log_ns_.size() > 1) timing.loads_ns = without_logs(log_ns_);
  }
  timing.speedup = speedup();
  if (reference_ns_.empty()) return;
  timing.reference_median_ns = median_of(reference_ns_);
  timing.reference_samples_ns = reference_ns_;
  if (const auto estimate = time_of_starts(reference_log_ns_))
    timing.reference_latency_ns = std::exp(estimate->value);
}

std::optional<std::vector<double>> ends_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(std::vector{interval->low, interval->high}) : std::nullopt;
}

Demand demand_of(const PreparedWorkload& workload, int threads, bool is_cold) {
  const Work& work = workload.work;
  Demand demand;
  demand.bytes = static_cast<std::uint64_t>(work.bytes_touched.value_or(work.bytes));
  demand.output_bytes = output_bytes(workload.problem);
  demand.flops = work.flops;
  demand.bits = narrowest_bits(workload.problem);
  demand.threads = threads;
  demand.is_cold = is_cold;
  return demand;
}

Roofline roofline_of(const PreparedWorkload& workload, const MeasuredPeaks& measured,
                     const Timing& timing) {
  const Demand demand =
      demand_of(workload, static_cast<int>(timing.threads.value_or(1)), timing.cache == "cold");
  Bound bound = bound_of(demand, measured.peaks);
  if (timing.p10_ns < bound.least_ns) {
    const Peaks again = measure_peaks(sizes_up_to(demand, measured.peaks), measured.cores);
    bound = bound_of(demand, best_of(measured.peaks, again));
  }
  Roofline record;
  record.bound_ns = bound.ns;
  record.bound_by = bound.by;
  // Nobody knows what a call must read without a count.
  record.least_ns = workload.work.bytes_touched ? bound.least_ns : 0;
  return record;
}

}  // namespace kbench
