// Audit of a solution by a Judgement: every call is timed, and judged before the next one's inputs
// exist.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "base/epochs.hpp"
#include "base/system.hpp"
#include "judge/beside_reference.hpp"
#include "judge/judgement.hpp"
#include "judge/trial_verdict.hpp"

namespace kbench {
namespace {

// Number of calls where they can only repeat what the workload fixes.
constexpr std::size_t repeated_calls = 16;

constexpr std::size_t sampler_calls = 512;  // fewer draws tell too little

std::size_t calls_of_audit(const PreparedWorkload& workload) {
  if (!workload.fresh) return repeated_calls;
  const std::size_t sets = workload.trials.size();
  return is_sampler(workload.trials.back()) ? (sampler_calls + sets - 1) / sets * sets : sets;
}

// Trials of the calls: each once, a sampler's equally often, in an order that nobody can guess.
std::vector<std::int64_t> draw_order(const PreparedWorkload& workload) {
  std::vector<std::int64_t> order(calls_of_audit(workload));
  if (!workload.fresh) return order;
  const auto sets = static_cast<std::int64_t>(workload.trials.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t& set : order) set %= sets;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(fresh_secret()));
  return order;
}

}  // namespace

AuditRecord Judgement::describe_audit() const {
  AuditRecord record;
  record.calls = static_cast<std::int64_t>(calls_of_audit(workload_));
  record.pool = static_cast<std::int64_t>(workload_.trials.size());
  record.fresh = workload_.fresh;
  record.secret_seed = workload_.secret_seed;
  record.waiting = plan_.cores.is_pinned() ? "spinning" : "blocking";
  return record;
}

// The structured inputs, which no time is told of.
void Judgement::audit_structured() {
  for (const Trial& trial : workload_.structured) {
    double nanoseconds = 0;
    if (const auto failure = process_->audit(trial.inputs, nanoseconds)) return fail(*failure);
    if (const auto failure = process_->mismatch()) return fail(*failure);
    const Verdict verdict = judge_call(trial);
    if (verdict.status == Status::passed) continue;
    evaluation_.correctness = verdict.correctness;
    return fail(verdict);
  }
}

std::optional<double> Judgement::audit_once(const Trial& trial) {
  const OnJudgesCore here(plan_.cores);
  double nanoseconds = 0;
  if (const auto failure = process_->audit(trial.inputs, nanoseconds)) fail(*failure);
  return finished_ ? std::nullopt : std::optional(nanoseconds);
}

// The first wrong call is the last.
void Judgement::audit_calls(std::vector<double>& samples_ns, BesideReference& beside) {
  const OnJudgesCore here(plan_.cores);
  AuditRecord& record = *details_.audit;
  SamplerTally draws;
  std::vector<Verdict> verdicts;
  for (const std::int64_t set : draw_order(workload_)) {
    const Trial& trial = workload_.trials[static_cast<std::size_t>(set)];
    record.order.push_back(set);
    const bool is_second = fresh_secret() % 2 == 0;
    if (is_second) beside.audit(trial);
    const auto fail_call = [&](Status status, const std::string& cause) {
      fail(status, fmt::format("call {} of {} (input set {}): {}", record.order.size(),
                               record.calls, set, cause));
    };
    if (const auto failure = process_->audit(trial.inputs, samples_ns.emplace_back()))
      return fail_call(failure->status, failure->cause);
    if (const auto failure = process_->mismatch())
      return fail_call(failure->status, failure->cause);
    verdicts.push_back(judge_call(trial));
    details_.trials = static_cast<std::int64_t>(verdicts.size());
    if (verdicts.back().status != Status::passed) {
      evaluation_.correctness = combine(verdicts).correctness;
      details_.error_map = verdicts.back().error_map;
      return fail_call(verdicts.back().status, verdicts.back().detail);
    }
    draws.add(trial, static_cast<std::size_t>(set), process_->outputs());
    if (!is_second) beside.audit(trial);
  }
  const Verdict together = combine(verdicts);
  evaluation_.correctness = together.correctness;
  if (together.status != Status::passed) return fail(together);
  audit_structured();
  if (!finished_) judge_beyond();
  judge_draws(draws);
}

namespace {

// The quickest of some calls of the control, by the judge's clock: in an audit nobody else has one.
double control_ns_here() {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 7;
  auto quickest = Clock::duration::max();
  for (int i = 0; i < calls; ++i) {
    const auto begin = Clock::now();
    call_control();
    quickest = std::min(quickest, Clock::now() - begin);
  }
  return std::chrono::duration<double, std::nano>(quickest).count();
}

}  // namespace

void Judgement::audit() {
  const StageSpan span(options_.stages, stage("audit"));
  std::vector<double> samples_ns;
  BesideReference beside(workload_, options_, plan_);
  const double before_ns = control_ns_here();
  audit_calls(samples_ns, beside);
  if (finished_) return;
  Timing timing = describe_audit_timing(samples_ns);
  timing.control_ns = {before_ns, control_ns_here()};
  timing.threads = threads_;
  beside.end_audit(samples_ns);
  beside.describe(timing);
  if (believe(timing)) pass(std::move(timing));
}

}  // namespace kbench
