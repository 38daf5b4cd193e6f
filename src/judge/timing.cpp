// Timing of a solution that passed, by a Judgement.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/beside_reference.hpp"
#include "judge/gpu_timing.hpp"
#include "judge/judgement.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

// Limit of a call short enough for a few more, of which some are judged.
constexpr double short_call_ns = 100'000;
constexpr std::uint64_t most_calls_before = 16;
constexpr int proofs = 8;
constexpr std::size_t quickly_judged = 65536;  // bytes of outputs

// A solution that compiles or reads much when loaded is not loaded more often than the user says.
constexpr double quick_load_ns = 1e8;

// FlashInfer-Bench's figures are as it defines them; zeros stand where the reference was not timed.
Performance describe_performance(const Timing& timing) {
  Performance performance;
  performance.latency_ms = timing.latency_ns.value_or(timing.median_ns) * 1e-6;
  if (!timing.reference_latency_ns) return performance;
  performance.reference_latency_ms = *timing.reference_latency_ns * 1e-6;
  performance.speedup_factor = performance.reference_latency_ms / performance.latency_ms;
  return performance;
}

std::size_t size_of(const std::vector<TensorView>& outputs) {
  std::size_t bytes = 0;
  for (const TensorView& output : outputs) bytes += output.bytes;
  return bytes;
}

Timing describe_samples(const std::vector<double>& samples_ns) {
  const Summary summary = summarize(samples_ns);
  Timing timing;
  timing.median_ns = summary.median;
  timing.interval_ns = ends_of(summary.median_interval);
  timing.p10_ns = summary.p10;
  timing.samples_ns = samples_ns;
  return timing;
}

}  // namespace

std::shared_ptr<PoisonedOutputs> outputs_elsewhere(const PreparedWorkload& workload) {
  return std::make_shared<PoisonedOutputs>(workload.problem.outputs, fresh_secret());
}

std::shared_ptr<PoisonedOutputs> outputs_for(const PreparedWorkload& workload,
                                             const CandidatePlan& plan) {
  return plan.gpu ? outputs_elsewhere(workload)
                  : std::make_shared<PoisonedOutputs>(workload.problem.outputs);
}

SamplingRule sampling_rule(const EvaluateOptions& options) {
  SamplingRule rule;
  rule.budget_ns = options.judge.budget_seconds * 1e9;
  rule.pace.cold = options.judge.cold;
  if (options.config.warmup_given)
    rule.warmups =
        static_cast<std::uint32_t>(std::max<std::int64_t>(options.config.warmup_runs, 0));
  if (options.config.iterations_given)  // iterations as asked for, however long they take
    rule.exactly = static_cast<std::size_t>(std::max<std::int64_t>(options.config.iterations, 1));
  return rule;
}

InTurnRule in_turn_rule(const EvaluateOptions& options) {
  const SamplingRule sampling = sampling_rule(options);
  InTurnRule rule;
  rule.pace = sampling.pace;
  rule.budget_ns = sampling.budget_ns;
  rule.exactly = sampling.exactly;
  rule.warmups = sampling.warmups;
  return rule;
}

double judges_clock_ns() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Timing describe_timing(const Sampled& sampled, bool cold) {
  Timing timing = describe_samples(sampled.samples_ns);
  timing.clock = "worker";
  timing.cache = cold ? "cold" : "warm";
  timing.calls_per_sample = static_cast<std::int64_t>(sampled.pace.calls);
  timing.null_ns = sampled.null_ns;
  timing.serial = true;
  timing.stop = stop_name(sampled.stop);
  timing.control_ns = sampled.control_ns;
  return timing;
}

Timing describe_loads(const std::vector<Sampled>& loads, bool cold) {
  if (loads.size() == 1) return describe_timing(loads.front(), cold);
  Sampled all = loads.front();
  all.samples_ns.clear();
  all.control_ns.clear();
  std::vector<double> nulls;
  for (const Sampled& load : loads) {
    all.samples_ns.insert(all.samples_ns.end(), load.samples_ns.begin(), load.samples_ns.end());
    all.control_ns.insert(all.control_ns.end(), load.control_ns.begin(), load.control_ns.end());
    if (load.stop == Stop::budget) all.stop = Stop::budget;
    nulls.push_back(load.null_ns);
  }
  all.null_ns = median_of(nulls);
  return describe_timing(all, cold);
}

Timing describe_audit_timing(const std::vector<double>& samples_ns) {
  Timing timing = describe_samples(samples_ns);
  timing.clock = "judge";
  timing.cache = "fresh";
  return timing;
}

void Judgement::keep_to(const CoreSplit& cores) {
  if (!cores.is_pinned() || !process_->keep_to(cores)) return;
  plan_.cores = cores;
  threads_ = static_cast<int>(cores.worker.size());
}

void Judgement::stay_on(const CoreSplit& cores) {
  if (process_->keep_to(cores)) plan_.cores = cores;
}

void Judgement::start_again(std::shared_ptr<PoisonedOutputs> outputs) {
  if (evaluation_.log.empty()) evaluation_.log = process_->log();
  process_.reset();  // the old process has the outputs
  memory_ = std::move(outputs);
  start();
}

Contender::Places Judgement::elsewhere() const { return {outputs_elsewhere(workload_)}; }

bool Judgement::come_back() {
  load();
  if (finished_) return false;
  if (const auto failure = process_->call(workload_.trials.back().inputs, fresh_secret()))
    fail(*failure);
  return !finished_;
}

// A program that is wrong in every n-th call alone is right in most: several are drawn and judged.
// end_timing() judges the last.
bool Judgement::prove() {
  const double took = process_->call_ns();
  const bool is_short = took > 0 && took < short_call_ns;
  // Returned results are copied to where the judge reads when timing ends.
  const bool is_plain =
      !plan_.gpu && plan_.destination_passing && workload_.trials.front().reference.written.empty();
  const bool is_quick = is_short && is_plain && size_of(process_->outputs()) <= quickly_judged;
  for (int left = is_quick ? proofs : 1; left > 1; --left)
    if (!call_unseen(is_short) || !judge_timed_call(true)) return false;
  return call_unseen(is_short);
}

bool Judgement::call_unseen(bool is_short) {
  Epochs before;
  before.warmups = static_cast<std::uint32_t>(fresh_secret() % most_calls_before);
  if (is_short && !run()(before)) return false;
  if (const auto failure = process_->poison_outputs(fresh_secret())) {
    fail(*failure);
    return false;
  }
  return run()({}).has_value();
}

bool Judgement::judge_timed_call(bool may_come_again) {
  const Verdict verdict = judge_last_call(may_come_again);
  if (verdict.status == Status::passed) return true;
  evaluation_.correctness = verdict.correctness;
  fail(verdict.status,
       "the outputs after the timed calls are wrong, those of a single call are not: " +
           verdict.detail);
  return false;
}

bool Judgement::begin_timing() {
  if (const auto failure = process_->begin_timing(fresh_secret())) fail(*failure);
  if (finished_ || !plan_.gpu) return !finished_;
  if (!gpu_before_) gpu_before_ = gpu_state(plan_.gpu->uuid);
  // Checks come now, since calls that seem to take no time would be too many in a sample; and at
  // the end, since who counts calls may begin to hide them late.
  return !hides_work();
}

// Tells whether work is hidden; true also where a call failed.
bool Judgement::hides_work() {
  const double limit_ns = options_.limits.call_seconds * 1e9;
  const auto why = hidden_work(run(), &judges_clock_ns, limit_ns);
  if (why && !why->empty()) fail(Status::runtime_error, *why);
  return finished_ || !why;
}

// Takes what else is to be known of a GPU; false when it is finished.
bool Judgement::end_gpu_timing() {
  gpu_ = describe_gpu(gpu_before_, gpu_state(plan_.gpu->uuid));
  if (hides_work()) return false;
  const auto activity = activity_ns(run());
  if (activity && *activity > 0) gpu_.activity_ns = *activity;
  return activity.has_value();
}

RunEpochs Judgement::run() {
  return [this](const Epochs& epochs) -> std::optional<std::vector<double>> {
    std::vector<double> samples;
    if (const auto failure = process_->run_epochs(epochs, samples)) {
      fail(*failure);
      return std::nullopt;
    }
    return samples;
  };
}

RunEpochs Judgement::run_in_turn() {
  return [this, run = run()](const Epochs& epochs) {
    auto samples = run(epochs);
    if (!samples) return samples;
    if (const auto failure = process_->rest()) {
      fail(*failure);
      samples.reset();
    }
    return samples;
  };
}

// The stage still holds the last trial's inputs: what was timed must have computed its answer.
// Inputs that are changed in place have the reference's content in a single call only. Outputs that
// are bit for bit what was right before need no judge.
bool Judgement::end_timing() {
  if (plan_.gpu && (!end_gpu_timing() || !prove())) return false;  // prove() has called it again
  std::optional<CandidateFailure> failure = process_->end_timing();
  if (!failure && !workload_.trials.front().reference.written.empty())
    failure = process_->call(workload_.trials.back().inputs, fresh_secret());
  if (failure) fail(*failure);
  if (finished_) return false;
  return judge_timed_call(right_ || ends_++ > 0);  // most are timed once
}

// The control is looked at on both sides of a start.
std::optional<Sampled> Judgement::sample_start(const SamplingRule& rule, BesideReference& beside) {
  if (!begin_timing()) return std::nullopt;
  const auto before_ns = measure_control(run());
  auto sampled = before_ns ? beside.take_start(*this, rule) : std::nullopt;
  const auto after_ns = sampled ? measure_control(run()) : std::nullopt;
  if (!after_ns || !prove() || !end_timing()) return std::nullopt;
  sampled->control_ns = {*before_ns, *after_ns};
  return sampled;
}

std::optional<Timing> Judgement::sample_starts(BesideReference& beside) {
  const OnJudgesCore here(plan_.cores);
  SamplingRule rule = sampling_rule(options_);
  if (plan_.gpu) rule.pace.epoch_ns = gpu_epoch_ns;
  std::vector<Sampled> starts;
  const bool is_quick = load_ns_ < quick_load_ns || options_.judge.loads > 1;
  do {
    if (!starts.empty()) start_again(outputs_elsewhere(workload_));
    if (!starts.empty() && !come_back()) return std::nullopt;
    auto sampled = sample_start(rule, beside);
    if (!sampled) return std::nullopt;
    starts.push_back(std::move(*sampled));
  } while (is_quick && beside.wants_start());
  Timing timing = describe_loads(starts, options_.judge.cold);
  if (plan_.gpu && options_.judge.rotate) timing.cache = "rotated";
  timing.threads = threads_;
  beside.describe(timing);
  return timing;
}

std::optional<Timing> Judgement::sample() {
  BesideReference beside(workload_, options_, plan_);
  if (engine_of(options_.judge) == Engine::kbench) return sample_starts(beside);
  const OnJudgesCore here(plan_.cores);
  return sample_by_google_benchmark();
}

void Judgement::time() {
  const StageSpan span(options_.stages, stage("time"));
  // A GPU's driver has threads of its own, which are to stay as they are.
  if (!plan_.gpu && was_single_threaded()) keep_to(split_cores(1));
  auto timing = sample();
  if (timing && believe(*timing)) pass(std::move(*timing));
}

bool Judgement::believe(Timing& timing) {
  timing.threads = threads_;
  timing.pinned = plan_.cores.is_pinned();
  if (plan_.gpu) {
    timing.clock = "events";
    timing.gpu = gpu_;
    timing.roofline = gpu_roofline(workload_, *options_.gpu, timing);
  } else if (options_.peaks != nullptr) {
    timing.roofline = roofline_of(workload_, *options_.peaks, timing);
  }
  if (!timing.roofline) return true;
  const double least = timing.roofline->least_ns;
  // The null call was subtracted, which is known to some nanoseconds alone.
  if (timing.p10_ns + timing.null_ns.value_or(0) >= least) return true;
  fail(Status::runtime_error,
       fmt::format("IMPLAUSIBLE: {} a call, where this machine needs at least {} for what must be "
                   "{}",
                   human_time(timing.p10_ns), human_time(least),
                   timing.roofline->bound_by == "memory" ? "read and written" : "calculated"));
  return false;
}

// One that was timed among others, and their samples stay, is timed beside its reference now.
void Judgement::pass(Timing timing) {
  if (!timing.speedup) {
    start_again(outputs_elsewhere(workload_));
    const auto beside = come_back() ? sample() : std::nullopt;
    if (!beside) return;
    timing.speedup = beside->speedup;
    timing.latency_ns = beside->latency_ns;
    timing.latency_interval_ns = beside->latency_interval_ns;
    timing.reference_latency_ns = beside->reference_latency_ns;
    timing.reference_median_ns = beside->reference_median_ns;
    timing.reference_samples_ns = beside->reference_samples_ns;
  }
  evaluation_.performance = describe_performance(timing);
  evaluation_.status = Status::passed;
  details_.timing = std::move(timing);
  finished_ = true;
}

// A time that a sanitizer lengthens says nothing of speed: zeros, which is what FlashInfer-Bench's
// form has where nothing was measured.
void Judgement::pass_untimed() {
  if (!plan_.emulation) evaluation_.performance = Performance{};
  evaluation_.status = Status::passed;
  finished_ = true;
}

}  // namespace kbench
