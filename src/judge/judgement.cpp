#include "judge/judgement.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/system.hpp"
#include "base/text.hpp"
#include "exec/compute_sanitizer_report.hpp"
#include "exec/sanitizer_report.hpp"
#include "judge/equipment.hpp"
#include "judge/trial_verdict.hpp"

namespace kbench {
namespace {

constexpr std::size_t most_right = 16;
constexpr std::size_t most_right_bytes = std::size_t{256} << 20;

// A run's Recorder fills in what is the same for all of its solutions.
Details begin_details(const PreparedWorkload& workload, bool is_audited) {
  Details details;
  details.trust = is_audited ? "audit" : "plain";
  details.seed = std::to_string(workload.seed);
  details.evaluator = evaluator_name(workload.trials.front().reference.evaluator);
  if (workload.trials.front().reference.is_kept) details.reference_cached = true;
  details.work = workload.work;
  details.exact = workload.exact;
  details.input_sets = workload.input_sets;
  if (!workload.non_discriminating.empty())
    details.non_discriminating = workload.non_discriminating;
  if (!workload.trivial_outputs.empty()) details.trivial_outputs = workload.trivial_outputs;
  if (!workload.reference_nan.empty()) details.reference_nan = workload.reference_nan;
  return details;
}

// Orders in which a solution under emulation is called, at least: each call has another one.
constexpr std::size_t least_orders = 3;

// Returns the input sets that it is called on.
std::vector<const Trial*> called_sets(const PreparedWorkload& workload, const CandidatePlan& plan) {
  std::vector<const Trial*> sets = judged_sets(workload);
  while (plan.emulation && sets.size() < least_orders) sets.push_back(&workload.trials.back());
  return sets;
}

void note_orders(std::size_t orders, Details& details) {
  if (details.emulation) details.emulation->orders = static_cast<std::int64_t>(orders);
}

// Findings of the emulation may be why something is wrong.
void add_note(const Evaluation& evaluation, Details& details) {
  if (!details.emulation || evaluation.status == Status::passed) return;
  const std::string note = emulation_note(evaluation.log);
  if (!note.empty()) details.cause = details.cause.value_or("") + "; " + printable(note);
}

// Returns the bytes of all outputs, one after the other.
std::vector<std::byte> bytes_of(const std::vector<TensorView>& outputs) {
  std::vector<std::byte> bytes;
  for (const TensorView& view : outputs)
    if (view.data != nullptr) bytes.insert(bytes.end(), view.data, view.data + view.bytes);
  return bytes;
}

}  // namespace

const Correctness* RightOutputs::find(const Bytes& outputs) const {
  for (const auto& [known, correctness] : known_) {
    if (known == outputs) return &correctness;
  }
  return nullptr;
}

void RightOutputs::add(Bytes outputs, Correctness correctness) {
  if (outputs.empty() || known_.size() == most_right || bytes_ + outputs.size() > most_right_bytes)
    return;
  bytes_ += outputs.size();
  known_.emplace_back(std::move(outputs), std::move(correctness));
}

Judgement::Judgement(const PreparedWorkload& workload, SharedMemory& stage,
                     std::shared_ptr<PoisonedOutputs> outputs, CandidatePlan plan,
                     const EvaluateOptions& options)
    : workload_(workload),
      stage_(stage),
      plan_(std::move(plan)),
      options_(options),
      details_(begin_details(workload, options.audit)),
      threads_(plan_.limits.threads),
      memory_(std::move(outputs)) {
  start();
  evaluation_.timestamp = timestamp_now();
  if (options.audit) details_.audit = describe_audit();
  if (plan_.emulation) details_.emulation = {0, std::to_string(plan_.emulation->seed)};
}

void Judgement::start() {
  process_.reset();  // its outputs are the next one's
  process_ = std::make_unique<CandidateProcess>(plan_, workload_.problem,
                                                workload_.trials.front().inputs, stage_, *memory_);
}

void Judgement::fail(Status status, const std::string& cause) {
  evaluation_.status = status;
  details_.cause = printable(cause);
  finished_ = true;
}

void Judgement::fail(const Verdict& verdict) {
  fail(verdict.status, verdict.detail);
  details_.error_map = verdict.error_map;
}

Stage Judgement::stage(std::string name) const {
  return {std::move(name), workload_.problem.definition, workload_.problem.workload, plan_.solution,
          plan_.label};
}

void Judgement::load() {
  const StageSpan span(options_.stages, stage("load"));
  const double begin_ns = judges_clock_ns();
  if (details_.audit) {
    const OnJudgesCore here(plan_.cores);
    double overhead = 0;
    if (const auto failure = process_->measure_overhead(overhead)) return fail(*failure);
    details_.audit->overhead_ns = overhead;
  }
  if (const auto failure = process_->load()) return fail(*failure);
  load_ns_ = judges_clock_ns() - begin_ns;
  if (!details_.prepare_ns) details_.prepare_ns = process_->prepare_ns();
}

Verdict Judgement::judge_call(const Trial& trial) {
  if (const int output = memory_->overrun(); output >= 0) {
    Verdict verdict;
    verdict.status = Status::runtime_error;
    verdict.detail = fmt::format("OUT_OF_BOUNDS: wrote beside output \"{}\"",
                                 memory_->name(static_cast<std::size_t>(output)));
    return verdict;
  }
  Verdict verdict =
      trial_verdict(*options_.rule, workload_.problem, options_.config, trial, process_->outputs());
  const bool passed = verdict.status == Status::passed;
  std::string unwritten = unwritten_cause(*memory_, passed, trial.standards);
  if (unwritten.empty()) return verdict;
  if (passed) verdict.status = Status::incorrect_numerical;
  verdict.detail = std::move(unwritten);
  return verdict;
}

// One draw says nothing: a sampler is called many times more. Draws of `timed` calls are judged by
// themselves: among many others they would not be seen.
void Judgement::judge_draws(const SamplerTally& timed) {
  if (finished_ || !is_sampler(workload_.trials.back())) return;
  const std::vector<std::string> names = output_names(workload_.problem);
  if (const std::string wrong = timed.wrong(names); !wrong.empty())
    return fail(Status::incorrect_numerical, "in the timed calls: " + wrong);
  SamplerTally tally;
  if (const auto failure = draw_again(*process_, workload_.trials, tally)) return fail(*failure);
  details_.draws = static_cast<std::int64_t>(timed.draws() + tally.draws());
  const std::string wrong = tally.wrong(names);
  if (!wrong.empty()) fail(Status::incorrect_numerical, wrong);
}

void Judgement::judge_beyond() {
  if (!workload_.beyond) return;
  double nanoseconds = 0;
  const bool ended = options_.audit ? process_->audit(*workload_.beyond, nanoseconds).has_value()
                                    : process_->call(*workload_.beyond, fresh_secret()).has_value();
  if (ended) {
    start();
    load();
  } else if (const std::string left =
                 unwritten_cause(*memory_, true, workload_.trials.front().standards);
             !left.empty()) {
    fail(Status::incorrect_numerical, left + ", of inputs that are not all positive");
  }
  if (finished_ || options_.audit) return;
  // The timed calls have these inputs.
  if (const auto failure = process_->call(workload_.trials.back().inputs, fresh_secret()))
    fail(*failure);
}

void Judgement::judge() {
  const StageSpan span(options_.stages, stage("judge"));
  std::vector<Verdict> verdicts;
  Verdict wrong, structured_wrong;  // the first of each kind
  const std::vector<const Trial*> sets = called_sets(workload_, plan_);
  for (const Trial* next : sets) {
    const Trial& trial = *next;
    if (const auto failure = process_->call(trial.inputs, fresh_secret())) return fail(*failure);
    if (const auto failure = process_->mismatch()) return fail(*failure);
    verdicts.push_back(judge_call(trial));
    const Verdict& verdict = verdicts.back();
    if (options_.judged) options_.judged(verdicts.size() - 1, process_->outputs(), verdict);
    if (verdict.status == Status::runtime_error) return fail(verdict);
    Verdict& first = trial.set == InputSet::random ? wrong : structured_wrong;
    if (verdict.status != Status::passed && first.status == Status::passed) first = verdict;
  }
  details_.trials = static_cast<std::int64_t>(workload_.trials.size());
  note_orders(sets.size(), details_);
  const Verdict together = combine(verdicts);
  evaluation_.correctness = together.correctness;
  if (together.status == Status::passed) {
    judge_beyond();
    return judge_draws({});
  }
  const Verdict* const found[] = {&wrong, &structured_wrong, &together};
  for (const Verdict* verdict : found)
    if (verdict->status == together.status) return fail(*verdict);
}

void Judgement::judge_last() {
  const StageSpan span(options_.stages, stage("judge"));
  const Trial& trial = workload_.trials.back();
  if (const auto failure = process_->call(trial.inputs, fresh_secret())) return fail(*failure);
  if (const auto failure = process_->mismatch()) return fail(*failure);
  details_.trials = 1;
  const Verdict verdict = combine(std::vector{judge_last_call(right_ != nullptr)});
  evaluation_.correctness = verdict.correctness;
  if (verdict.status != Status::passed) fail(verdict);
}

Verdict Judgement::judge_last_call(bool may_come_again) {
  std::vector<std::byte> left;
  if (may_come_again) left = bytes_of(process_->outputs());
  const auto* const known = right_ && memory_->overrun() < 0 ? right_->find(left) : nullptr;
  if (known != nullptr) {
    Verdict verdict;
    verdict.correctness = *known;
    return verdict;
  }
  Verdict verdict = judge_call(workload_.trials.back());
  if (verdict.status != Status::passed || left.empty()) return verdict;
  if (!right_) right_ = std::make_shared<RightOutputs>();
  right_->add(std::move(left), verdict.correctness);
  return verdict;
}

void Judgement::end_tool() {
  const GpuTool& tool = *plan_.tool;
  ToolReport report = read_tool_report(process_->end_tool(), tool.name, tool.sources);
  if (!report.findings.empty()) {
    fail(Status::runtime_error, cause_of(report.findings.front()));
    details_.error_map.reset();  // the map belongs to another cause
    details_.findings = std::move(report.findings);
  } else if (!finished_ && !report.is_complete) {
    throw std::runtime_error(
        fmt::format("compute-sanitizer --tool {} has not checked it: {}", tool.name,
                    report.trouble.empty() ? "it has not summed up" : report.trouble));
  }
}

// A status has correctness and performance or not, whatever was known when it was decided.
Evaluation Judgement::finish() {
  if (const auto ended = process_->ended(); ended && !finished_) fail(*ended);
  if (evaluation_.log.empty()) evaluation_.log = process_->log();
  const bool passed = evaluation_.status == Status::passed;
  add_note(evaluation_, details_);
  if (!passed && evaluation_.status != Status::incorrect_numerical) evaluation_.correctness.reset();
  if (!passed) evaluation_.performance.reset();
  if (details_.cause && !details_.cause->empty()) {
    evaluation_.log = *details_.cause + (evaluation_.log.empty() ? "" : "\n" + evaluation_.log);
  }
  evaluation_.kbench = std::move(details_);
  return std::move(evaluation_);
}

Evaluation unbuilt(const PreparedWorkload& workload, const BuildResult& build, bool is_audited) {
  Evaluation evaluation;
  evaluation.timestamp = timestamp_now();
  evaluation.status = Status::compile_error;
  evaluation.kbench = begin_details(workload, is_audited);
  const std::string cause = printable(build.cause);
  evaluation.kbench->cause = cause;
  evaluation.log = cause.empty() ? build.log : cause + (build.log.empty() ? "" : "\n" + build.log);
  return evaluation;
}

Evaluation unsupported(const PreparedWorkload& workload, const std::string& why, bool is_audited) {
  Evaluation evaluation;
  evaluation.timestamp = timestamp_now();
  evaluation.status = Status::runtime_error;
  evaluation.kbench = begin_details(workload, is_audited);
  evaluation.kbench->cause = "UNSUPPORTED: " + why;
  evaluation.log = *evaluation.kbench->cause;
  return evaluation;
}

}  // namespace kbench
