// How a Judgement times a solution that passed.
#include <algorithm>
#include <chrono>

#include "base/secret.hpp"
#include "evaluate/judgement.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

std::optional<std::vector<double>> interval_of(const Summary& summary) {
  if (!summary.median_interval) return std::nullopt;
  return std::vector{summary.median_interval->low, summary.median_interval->high};
}

Performance describe_performance(const Timing& timing) {
  Performance performance;
  performance.latency_ms = timing.median_ns * 1e-6;
  performance.reference_latency_ms = timing.reference_median_ns.value_or(0) * 1e-6;
  performance.speedup_factor = timing.reference_median_ns.value_or(0) / timing.median_ns;
  return performance;
}

Timing describe_samples(const std::vector<double>& samples_ns) {
  const Summary summary = summarize(samples_ns);
  Timing timing;
  timing.median_ns = summary.median;
  timing.interval_ns = interval_of(summary);
  timing.p10_ns = summary.p10;
  timing.samples_ns = samples_ns;
  return timing;
}

// Of all outputs, one after the other.
std::vector<std::byte> bytes_of(const std::vector<TensorView>& outputs) {
  std::vector<std::byte> bytes;
  for (const TensorView& view : outputs)
    if (view.data != nullptr) bytes.insert(bytes.end(), view.data, view.data + view.bytes);
  return bytes;
}

}  // namespace

SamplingRule sampling_rule(const EvaluateOptions& options) {
  SamplingRule rule;
  rule.budget_ns = options.timing_budget_seconds * 1e9;
  rule.pace.cold = options.cold;
  if (options.config.warmup_given)
    rule.warmups =
        static_cast<std::uint32_t>(std::max<std::int64_t>(options.config.warmup_runs, 0));
  if (options.config.iterations_given)  // they are what was asked for, however long they take
    rule.exactly = static_cast<std::size_t>(std::max<std::int64_t>(options.config.iterations, 1));
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
  timing.serial = sampled.pace.serial;
  timing.stop = stop_name(sampled.stop);
  timing.control_ns = sampled.control_ns;
  return timing;
}

Timing describe_audit_timing(const std::vector<double>& samples_ns) {
  Timing timing = describe_samples(samples_ns);
  timing.clock = "judge";
  timing.cache = "fresh";
  return timing;
}

void Judgement::keep_to(const CoreSplit& cores) {
  if (!process_->keep_to(cores)) return;
  plan_.cores = cores;
  threads_ = static_cast<int>(cores.worker.size());
}

bool Judgement::reload() {
  if (evaluation_.log.empty()) evaluation_.log = process_->log();
  start();
  load();
  if (finished_) return false;
  if (const auto failure = process_->call(workload_.trials.back().inputs, fresh_secret()))
    fail(*failure);
  return !finished_;
}

bool Judgement::prove() {
  process_->poison_outputs(fresh_secret());
  return run()({}).has_value();
}

bool Judgement::begin_timing() {
  if (const auto failure = process_->begin_timing(fresh_secret())) fail(*failure);
  return !finished_;
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

// The stage still holds the last trial's inputs: what was timed must have computed its answer. Of
// inputs that are changed in place, only a single call has the content that the reference had. What
// is bit for bit what was right before needs no judge.
bool Judgement::end_timing() {
  std::optional<CandidateFailure> failure = process_->end_timing();
  if (!failure && !workload_.trials.front().reference.written.empty())
    failure = process_->call(workload_.trials.back().inputs, fresh_secret());
  if (failure) fail(*failure);
  if (finished_) return false;
  const std::vector<std::byte> left = bytes_of(process_->outputs());
  if (!right_.empty() && left == right_ && memory_->overrun() < 0) return true;
  const Verdict verdict = judge_call(workload_.trials.back());
  right_ = left;
  if (verdict.status == Status::passed) return true;
  evaluation_.correctness = verdict.correctness;
  fail(verdict.status,
       "the outputs after the timed calls are wrong, those of a single call are not: " +
           verdict.detail);
  return false;
}

void Judgement::time() {
  if (was_single_threaded()) keep_to(split_cores(1));
  const OnJudgesCore here(plan_.cores);
  if (!begin_timing()) return;
  if (options_.engine == Engine::google_benchmark) return time_by_google_benchmark();
  const auto sampled = take_samples(run(), sampling_rule(options_), &judges_clock_ns);
  if (sampled && end_timing()) pass(describe_timing(*sampled, options_.cold));
}

void Judgement::pass(Timing timing) {
  if (workload_.reference_time.count > 0) {
    timing.reference_median_ns = workload_.reference_time.median;
    timing.reference_interval_ns = interval_of(workload_.reference_time);
    timing.reference_samples_ns = workload_.trials.front().reference.samples_ns;
  }
  timing.threads = threads_;
  timing.pinned = plan_.cores.is_pinned();
  evaluation_.performance = describe_performance(timing);
  evaluation_.status = Status::passed;
  details_.timing = std::move(timing);
  finished_ = true;
}

// What a sanitizer slows down says nothing of speed: zeros, which is what FlashInfer-Bench's form
// has where nothing was measured.
void Judgement::pass_untimed() {
  evaluation_.performance = Performance{};
  evaluation_.status = Status::passed;
  finished_ = true;
}

}  // namespace kbench
