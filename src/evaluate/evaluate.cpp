#include "evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/secret.hpp"
#include "base/text.hpp"
#include "evaluate/environment.hpp"
#include "evaluate/sampler.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

// What the stages hand on: the record as it grows, and whether it is finished.
struct Draft {
  Evaluation evaluation;
  Details details;
  bool finished = false;

  void fail(Status status, const std::string& cause) {
    evaluation.status = status;
    details.cause = printable(cause);
    finished = true;
  }
  void fail(const CandidateFailure& failure) { fail(failure.status, failure.cause); }
};

// What is the same for every solution of a run is filled in by its Recorder.
Draft begin(const PreparedWorkload& workload, const EvaluateOptions& options) {
  Draft draft;
  draft.evaluation.timestamp = timestamp_now();
  draft.details.trust = options.audit ? "audit" : "plain";
  draft.details.seed = std::to_string(workload.seed);
  draft.details.evaluator = evaluator_name(workload.trials.front().reference.evaluator);
  if (workload.trials.front().reference.is_kept) draft.details.reference_cached = true;
  draft.details.work = workload.work;
  draft.details.exact = workload.exact;
  draft.details.input_sets = workload.input_sets;
  if (!workload.non_discriminating.empty())
    draft.details.non_discriminating = workload.non_discriminating;
  return draft;
}

// A wrong element of a byte without a NaN is the pattern by chance once in 256 times.
bool may_be_chance(DType dtype, std::uint64_t count, std::uint64_t elements) {
  const bool has_nan = dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2;
  const bool is_legal = info(dtype).bits <= 8 && !has_nan && dtype != DType::boolean;
  return is_legal && count < elements / 16 + 8;
}

// What was not written, unless it passed: a right element may look like the pattern. A byte that is
// no bool counts as true, so it may pass without having been written.
std::string unwritten_cause(const OutputMemory& memory, bool passed) {
  for (std::size_t i = 0; i < memory.views().size(); ++i) {
    const DType dtype = memory.views()[i].dtype;
    if (passed && dtype != DType::boolean) continue;
    const std::vector<std::int64_t>& shape = memory.views()[i].shape;
    const Unwritten left = memory.unwritten(i);
    if (left.count == 0 || may_be_chance(dtype, left.count, element_count(shape))) continue;
    return fmt::format(
        "UNWRITTEN: {} of {} elements of output \"{}\" were not written; first at {}", left.count,
        element_count(shape), memory.name(i), place_text(left.first, shape));
  }
  return "";
}

Verdict judge(const PreparedWorkload& workload, const Trial& trial,
              const std::vector<TensorView>& outputs, const EvaluateOptions& options) {
  const std::vector<std::string> names = output_names(workload.problem);
  VerdictContext context = verdict_context(workload.problem, names, options.config);
  context.standards = trial.standards;
  Verdict verdict = options.rule->judge(context, outputs, trial.reference.outputs);
  if (trial.set == InputSet::random) return verdict;
  verdict.evidence.clear();  // inputs of another kind are not added up with these
  if (!verdict.detail.empty())
    verdict.detail =
        fmt::format("in the structured inputs '{}': {}", set_name(trial.set), verdict.detail);
  return verdict;
}

// What the last call left, judged: by the poison around the outputs and in them, and by the rule.
Verdict judge_call(const CandidateProcess& process, const OutputMemory& memory,
                   const PreparedWorkload& workload, const Trial& trial,
                   const EvaluateOptions& options) {
  if (const int output = memory.overrun(); output >= 0) {
    Verdict verdict;
    verdict.status = Status::runtime_error;
    verdict.detail = fmt::format("OUT_OF_BOUNDS: wrote beside output \"{}\"",
                                 memory.name(static_cast<std::size_t>(output)));
    return verdict;
  }
  Verdict verdict = judge(workload, trial, process.outputs(), options);
  const bool passed = verdict.status == Status::passed;
  std::string unwritten = unwritten_cause(memory, passed);
  if (unwritten.empty()) return verdict;
  if (passed) verdict.status = Status::incorrect_numerical;
  verdict.detail = std::move(unwritten);
  return verdict;
}

// One draw says nothing: a sampler is called many times more. What it drew in `timed` calls is
// judged by itself: among many others it would not be seen.
void judge_draws(Draft& draft, CandidateProcess& process, const PreparedWorkload& workload,
                 const SamplerTally& timed = {}) {
  if (!is_sampler(workload.trials.back())) return;
  const std::vector<std::string> names = output_names(workload.problem);
  if (const std::string wrong = timed.wrong(names); !wrong.empty())
    return draft.fail(Status::incorrect_numerical, "in the timed calls: " + wrong);
  SamplerTally tally;
  if (const auto failure = draw_again(process, workload.trials, tally)) return draft.fail(*failure);
  draft.details.draws = static_cast<std::int64_t>(timed.draws() + tally.draws());
  const std::string wrong = tally.wrong(names);
  if (!wrong.empty()) draft.fail(Status::incorrect_numerical, wrong);
}

void judge_trials(Draft& draft, CandidateProcess& process, OutputMemory& memory,
                  const PreparedWorkload& workload, const EvaluateOptions& options) {
  std::vector<Verdict> verdicts;
  std::string cause, structured_cause;
  for (const Trial* next : judged_sets(workload)) {
    const Trial& trial = *next;
    if (const auto failure = process.call(trial.inputs, fresh_secret()))
      return draft.fail(*failure);
    if (const auto failure = process.mismatch()) return draft.fail(*failure);
    verdicts.push_back(judge_call(process, memory, workload, trial, options));
    const Verdict& verdict = verdicts.back();
    if (options.judged) options.judged(verdicts.size() - 1, process.outputs(), verdict);
    if (verdict.status == Status::runtime_error) return draft.fail(verdict.status, verdict.detail);
    std::string& first = trial.set == InputSet::random ? cause : structured_cause;
    if (verdict.status != Status::passed && first.empty()) first = verdict.detail;
  }
  draft.details.trials = static_cast<std::int64_t>(workload.trials.size());
  const Verdict verdict = combine(verdicts);
  draft.evaluation.correctness = verdict.correctness;
  if (cause.empty()) cause = structured_cause.empty() ? verdict.detail : structured_cause;
  if (verdict.status != Status::passed) return draft.fail(verdict.status, cause);
  judge_draws(draft, process, workload);
}

SamplingPlan sampling_plan(const EvaluateOptions& options) {
  SamplingPlan plan;
  plan.budget_ns = static_cast<std::uint64_t>(options.timing_budget_seconds * 1e9);
  if (options.config.warmup_given) plan.warmup_calls = static_cast<int>(options.config.warmup_runs);
  if (options.config.iterations_given) {
    plan.wanted_samples = plan.min_samples = static_cast<int>(options.config.iterations);
    plan.budget_ns = UINT64_MAX / 2;  // they are what was asked for, however long they take
  }
  return plan;
}

std::optional<std::vector<double>> interval_of(const Summary& summary) {
  if (!summary.median_interval) return std::nullopt;
  return std::vector{summary.median_interval->low, summary.median_interval->high};
}

Timing describe_timing(const SamplingResult& result, const PreparedWorkload& workload,
                       bool is_audited) {
  const Summary summary = summarize(result.samples_ns);
  Timing timing;
  timing.clock = is_audited ? "judge" : "worker";
  timing.cache = is_audited ? "fresh" : "warm";
  timing.median_ns = summary.median;
  timing.interval_ns = interval_of(summary);
  timing.p10_ns = summary.p10;
  timing.calls_per_sample = result.calls_per_sample;
  timing.samples_ns = result.samples_ns;
  if (workload.reference_time.count > 0) {
    timing.reference_median_ns = workload.reference_time.median;
    timing.reference_interval_ns = interval_of(workload.reference_time);
    timing.reference_samples_ns = workload.trials.front().reference.samples_ns;
  }
  return timing;
}

Performance describe_performance(const Timing& timing) {
  Performance performance;
  performance.latency_ms = timing.median_ns * 1e-6;
  performance.reference_latency_ms = timing.reference_median_ns.value_or(0) * 1e-6;
  performance.speedup_factor = timing.reference_median_ns.value_or(0) / timing.median_ns;
  return performance;
}

void pass(Draft& draft, const SamplingResult& result, const PreparedWorkload& workload,
          bool is_audited) {
  draft.details.timing = describe_timing(result, workload, is_audited);
  draft.evaluation.performance = describe_performance(*draft.details.timing);
  draft.evaluation.status = Status::passed;
}

// What a sanitizer slows down says nothing of speed: zeros, which is what FlashInfer-Bench's form
// has where nothing was measured.
void pass_untimed(Draft& draft) {
  draft.evaluation.performance = Performance{};
  draft.evaluation.status = Status::passed;
}

void measure(Draft& draft, CandidateProcess& process, OutputMemory& memory,
             const PreparedWorkload& workload, const EvaluateOptions& options) {
  SamplingResult result;
  if (const auto failure = process.sample(sampling_plan(options), fresh_secret(), result))
    return draft.fail(*failure);
  // The stage still holds the last trial's inputs: what was timed must have computed its answer. Of
  // inputs that are changed in place, only a single call has the content that the reference had.
  if (!workload.trials.front().reference.written.empty()) {
    if (const auto failure = process.call(workload.trials.back().inputs, fresh_secret()))
      return draft.fail(*failure);
  }
  const Verdict verdict = judge_call(process, memory, workload, workload.trials.back(), options);
  if (verdict.status != Status::passed) {
    draft.evaluation.correctness = verdict.correctness;
    return draft.fail(
        verdict.status,
        "the outputs after the timed calls are wrong, those of a single call are not: " +
            verdict.detail);
  }
  pass(draft, result, workload, false);
}

// How many calls there are where they can only repeat what the workload fixes.
constexpr std::size_t repeated_calls = 16;

constexpr std::size_t sampler_calls = 512;  // fewer draws tell too little

std::size_t calls_of_audit(const PreparedWorkload& workload) {
  if (!workload.fresh) return repeated_calls;
  const std::size_t sets = workload.trials.size();
  return is_sampler(workload.trials.back()) ? (sampler_calls + sets - 1) / sets * sets : sets;
}

// The trial of each call: each once, of a sampler equally often, in an order that nobody can guess.
std::vector<std::int64_t> draw_order(const PreparedWorkload& workload) {
  std::vector<std::int64_t> order(calls_of_audit(workload));
  if (!workload.fresh) return order;
  const auto sets = static_cast<std::int64_t>(workload.trials.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t& set : order) set %= sets;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(fresh_secret()));
  return order;
}

AuditRecord describe_audit(const PreparedWorkload& workload, const CoreSplit& cores) {
  AuditRecord record;
  record.calls = static_cast<std::int64_t>(calls_of_audit(workload));
  record.pool = static_cast<std::int64_t>(workload.trials.size());
  record.fresh = workload.fresh;
  record.secret_seed = workload.secret_seed;
  record.waiting = cores.is_pinned() ? "spinning" : "blocking";
  return record;
}

// The structured inputs, which no time is told of.
void audit_structured(Draft& draft, CandidateProcess& process, OutputMemory& memory,
                      const PreparedWorkload& workload, const EvaluateOptions& options) {
  for (const Trial& trial : workload.structured) {
    double nanoseconds = 0;
    if (const auto failure = process.audit(trial.inputs, nanoseconds)) return draft.fail(*failure);
    if (const auto failure = process.mismatch()) return draft.fail(*failure);
    const Verdict verdict = judge_call(process, memory, workload, trial, options);
    if (verdict.status == Status::passed) continue;
    draft.evaluation.correctness = verdict.correctness;
    return draft.fail(verdict.status, verdict.detail);
  }
}

// Every call is timed, and judged before the next one's inputs exist. The first wrong one is the
// last.
void audit(Draft& draft, CandidateProcess& process, OutputMemory& memory,
           const PreparedWorkload& workload, const EvaluateOptions& options) {
  AuditRecord& record = *draft.details.audit;
  SamplingResult result;
  SamplerTally draws;
  std::vector<Verdict> verdicts;
  for (const std::int64_t set : draw_order(workload)) {
    const Trial& trial = workload.trials[static_cast<std::size_t>(set)];
    record.order.push_back(set);
    const auto fail = [&](Status status, const std::string& cause) {
      draft.fail(status, fmt::format("call {} of {} (input set {}): {}", record.order.size(),
                                     record.calls, set, cause));
    };
    if (const auto failure = process.audit(trial.inputs, result.samples_ns.emplace_back()))
      return fail(failure->status, failure->cause);
    if (const auto failure = process.mismatch()) return fail(failure->status, failure->cause);
    verdicts.push_back(judge_call(process, memory, workload, trial, options));
    draft.details.trials = static_cast<std::int64_t>(verdicts.size());
    if (verdicts.back().status != Status::passed) {
      draft.evaluation.correctness = combine(verdicts).correctness;
      return fail(verdicts.back().status, verdicts.back().detail);
    }
    draws.add(trial, static_cast<std::size_t>(set), process.outputs());
  }
  const Verdict together = combine(verdicts);
  draft.evaluation.correctness = together.correctness;
  if (together.status != Status::passed) return draft.fail(together.status, together.detail);
  audit_structured(draft, process, memory, workload, options);
  if (!draft.finished) judge_draws(draft, process, workload, draws);
  if (!draft.finished) pass(draft, result, workload, true);
}

// Judged and timed, once it is loaded.
void judge_and_time(Draft& draft, CandidateProcess& process, OutputMemory& memory,
                    const PreparedWorkload& workload, const EvaluateOptions& options) {
  if (options.audit) return audit(draft, process, memory, workload, options);
  judge_trials(draft, process, memory, workload, options);
  if (draft.finished) return;
  if (options.sanitizers.any()) return pass_untimed(draft);
  measure(draft, process, memory, workload, options);
}

std::optional<CandidateFailure> start(CandidateProcess& process, Draft& draft) {
  if (draft.details.audit) {
    double overhead = 0;
    if (auto failure = process.measure_overhead(overhead)) return failure;
    draft.details.audit->overhead_ns = overhead;
  }
  return process.load();
}

void run_candidate(Draft& draft, const PreparedWorkload& workload, SharedMemory& stage,
                   CandidatePlan plan, const EvaluateOptions& options) {
  OutputMemory memory(workload.problem.outputs);
  if (options.audit) {
    plan.cores = split_cores(plan.limits.threads);
    draft.details.audit = describe_audit(workload, *plan.cores);
  }
  const OnJudgesCore here(plan.cores.value_or(CoreSplit{}));
  CandidateProcess process(plan, workload.problem, workload.trials.front().inputs, stage, memory);
  if (const auto failure = start(process, draft)) {
    draft.fail(*failure);
  } else {
    judge_and_time(draft, process, memory, workload, options);
    if (const auto ended = process.ended(); ended && !draft.finished) draft.fail(*ended);
  }
  draft.evaluation.log += process.log();
}

SanitizerPlan sanitizer_plan(const Solution& solution, const EvaluateOptions& options) {
  SanitizerPlan plan;
  plan.which = options.sanitizers;
  plan.runtime = options.sanitizer_runtime;
  for (const SourceFile& source : solution.sources) plan.sources.push_back(source.path);
  return plan;
}

// A status has correctness and performance or not, whatever was known when it was decided.
Evaluation finish(Draft draft) {
  Evaluation& evaluation = draft.evaluation;
  const bool passed = evaluation.status == Status::passed;
  if (!passed && evaluation.status != Status::incorrect_numerical) evaluation.correctness.reset();
  if (!passed) evaluation.performance.reset();
  if (draft.details.cause && !draft.details.cause->empty()) {
    evaluation.log = *draft.details.cause + (evaluation.log.empty() ? "" : "\n" + evaluation.log);
  }
  evaluation.kbench = std::move(draft.details);
  return std::move(evaluation);
}

}  // namespace

Evaluation evaluate(const PreparedWorkload& workload, SharedMemory& stage, const Solution& solution,
                    const BuildResult& build, const EvaluateOptions& options) {
  Draft draft = begin(workload, options);
  draft.evaluation.log = build.built ? "" : build.log;
  if (build.built) {
    const bool is_hosted = !build.hosted.empty();
    const CandidatePlan plan{options.worker,
                             build.library,
                             is_hosted ? build.hosted : entry_symbol(solution),
                             solution.spec.destination_passing_style,
                             options.limits,
                             workload.trials.front().reference.written,
                             is_hosted ? options.host : nullptr,
                             {},
                             sanitizer_plan(solution, options)};
    run_candidate(draft, workload, stage, plan, options);
  } else {
    draft.fail(Status::compile_error, build.cause);
  }
  return finish(std::move(draft));
}

Evaluation skipped_after(const Evaluation& last, int failures) {
  Evaluation evaluation = last;
  evaluation.timestamp = timestamp_now();
  const std::string cause = last.kbench && last.kbench->cause
                                ? *last.kbench->cause
                                : std::string(status_name(last.status));
  evaluation.log = fmt::format("Solution skipped after {} failure{}. Last error: {}", failures,
                               failures == 1 ? "" : "s", cause);
  return evaluation;
}

}  // namespace kbench
