#include "judge/pair_judge.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <thread>

#include "base/epochs.hpp"
#include "exec/sanitizer_report.hpp"
#include "judge/gpu_timing.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

constexpr std::string_view ended_with_us = "it was ended together with kbench";

bool is_on_gpu(const Pair& pair) {
  return wants_gpu(*pair.solution) && pair.options.gpu != nullptr;
}

}  // namespace

void PairJudge::judge(const Pair& pair, SharedMemory& stage) {
  {
    const std::lock_guard lock(mutex_);
    if (is_on_gpu(pair) && lost_.contains(pair.options.gpu)) {
      ++totals.unrun;
      return;
    }
    events_.started(*pair.job, *pair.solution);
  }
  if (auto skip = skipped(*pair.solution)) return record(pair, std::move(*skip));
  const BuildResult& build = builds_.results.at(pair.solution);
  const Stopwatch watch;
  Evaluation evaluation;
  try {
    evaluation =
        options_.judge_pair
            ? options_.judge_pair(*pair.job, *pair.workload, *pair.solution, build, pair.options)
            : evaluate(*pair.workload, stage, *pair.solution, build, pair.options);
  } catch (const NotEmulated& reason) {
    const std::lock_guard lock(mutex_);
    ++totals.not_emulated;
    return report_unjudged(pair, reason.what());
  }
  if (was_ended_with_us(evaluation)) return report_unjudged(pair, ended_with_us);
  {
    const std::lock_guard lock(mutex_);
    failures_[pair.solution].note(evaluation);
  }
  profile(pair, stage, evaluation);
  if (!evaluation.kbench) evaluation.kbench = Details{};
  evaluation.kbench->cost_ms = watch.elapsed_ms();
  evaluation.kbench->reference_cost_ms = pair.workload->cost_ms;
  const Status status = evaluation.status;
  record(pair, std::move(evaluation));
  ask_gpu(pair, status);
}

std::optional<Evaluation> PairJudge::skipped(const Solution& solution) {
  const std::lock_guard lock(mutex_);
  const FailureMemory& memory = failures_[&solution];
  if (!memory.skips() || options_.judges_all) return std::nullopt;
  Evaluation evaluation = skipped_after(memory.last, memory.failures);
  evaluation.kbench->skipped = true;
  return evaluation;
}

void PairJudge::remember(const Solution& solution, const Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  failures_[&solution].note(evaluation);
}

void PairJudge::ask_gpu(const Pair& pair, Status status) {
  const bool may_have_stopped = status == Status::runtime_error || status == Status::timeout;
  if (!is_on_gpu(pair) || !may_have_stopped) return;
  const Gpu& gpu = *pair.options.gpu;
  const std::string why = probe_gpu(pair.options.gpu_worker, gpu, pair.options.gpu_driver);
  if (why.empty()) return;
  const std::lock_guard lock(mutex_);
  lost_.insert(&gpu);
  report_broken({}, fmt::format("{} does not answer since solution \"{}\" on workload {}: {}; "
                                "nothing more is run on it",
                                gpu.name, pair.solution->name,
                                pair.job->workload->record.workload.uuid, why));
}

std::string PairJudge::label_of(const Job& job, const Solution& solution, const Gpu* gpu) {
  if (!options_.label.empty()) return options_.label;
  const std::lock_guard lock(mutex_);
  return recorder_.label(job, solution, gpu);
}

bool PairJudge::answers(const Gpu& gpu) {
  const std::lock_guard lock(mutex_);
  return !lost_.contains(&gpu);
}

void PairJudge::profile(const Pair& pair, SharedMemory& stage, Evaluation& evaluation) {
  const Solution& solution = *pair.solution;
  if (!options_.profile || !is_on_gpu(pair) || evaluation.status != Status::passed) return;
  const CandidatePlan plan =
      candidate_plan(*pair.workload, solution, builds_.results.at(pair.solution), pair.options);
  const auto file = next_profile_file(options_.out, solution, pair.workload->problem.workload);
  Diagnostics reports;
  evaluation.kbench->profile = profile_call(
      *pair.workload, stage, plan, {solution.name, pair.options.ncu, file, options_.out}, reports);
  if (!reports.empty()) report(reports);
}

void PairJudge::record(const Pair& pair, Evaluation evaluation) {
  const Job& job = *pair.job;
  const Solution& solution = *pair.solution;
  Trace trace;
  trace.definition = job.definition->name;
  trace.workload = job.workload->record.workload;
  trace.solution = solution.name;
  trace.evaluation = std::move(evaluation);
  const std::lock_guard lock(mutex_);
  // A solution that was not built has been on no GPU.
  const bool was_there = is_on_gpu(pair) && builds_.results.at(&solution).built;
  recorder_.stamp(*trace.evaluation, job, solution, was_there ? pair.options.gpu : nullptr);
  trace.evaluation->kbench->compiled = builds_.results.at(&solution).compiled;
  trace.evaluation->kbench->digest = record_digest(trace);
  if (options_.signing_key) sign(trace, *options_.signing_key);
  ++(trace.evaluation->status == Status::passed ? totals.passed : totals.failed);
  write(trace, trace_file(options_.out, solution, *job.definition, *trace.evaluation));
  events_.finished(job, solution, trace);
}

void PairJudge::record_judged(const Pair& pair, const JudgedEntrant& entrant) {
  if (was_ended_with_us(entrant.evaluation)) return report_unjudged(pair, ended_with_us);
  record(pair, entrant.evaluation);
}

// Managers of jobs (Slurm, those of services) end one by a signal to all of its processes, and the
// candidate may be gone before kbench has seen its own.
bool PairJudge::was_ended_with_us(const Evaluation& evaluation) const {
  const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGKILL};
  if (std::find(std::begin(signals), std::end(signals), evaluation.ended_by) == std::end(signals))
    return false;
  if (!stop_) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return stop_;
}

void PairJudge::report_unjudged(const Pair& pair, std::string_view reason) {
  Diagnostics reports;
  reports.warning(
      {}, fmt::format("solution \"{}\" is not judged on workload {}: {}", pair.solution->name,
                      pair.job->workload->record.workload.uuid, reason));
  const std::lock_guard lock(mutex_);
  events_.reported(reports);
  events_.abandoned({pair.job->definition, pair.job->workload, {pair.solution}});
}

// A record that cannot be written is still shown: the caller may have no other.
void PairJudge::write(const Trace& trace, const std::filesystem::path& file) {
  if (options_.out.empty()) return;
  try {
    if (options_.check_out) options_.check_out();
    append_trace(file, trace);
    spdlog::debug("recorded {} {} {} {}", trace.definition, trace.workload.uuid, *trace.solution,
                  status_name(trace.evaluation->status));
  } catch (const std::exception& error) {
    report_broken({}, fmt::format("the record of {} on workload {} could not be written: {}",
                                  *trace.solution, trace.workload.uuid, error.what()));
  }
}

void PairJudge::report(const Diagnostics& reports) {
  const std::lock_guard lock(mutex_);
  events_.reported(reports);
}

void PairJudge::count_unjudged(const Solution& solution) {
  if (builds_.refused.contains(&solution)) ++totals.refused;
  if (builds_.unrun.contains(&solution)) ++totals.unrun;
  if (builds_.not_emulated.contains(&solution)) ++totals.not_emulated;
  if (builds_.broken.contains(&solution)) ++totals.abandoned;
}

void PairJudge::report_failed(const Job& job, const std::exception& error) {
  const auto& workload = *job.workload;
  report_broken({workload.path, workload.line, 1, "", ""},
                fmt::format("kbench failed on workload {} of {}: {}", workload.record.workload.uuid,
                            job.definition->name, error.what()));
}

void PairJudge::report_broken(Where where, std::string what) {
  const std::lock_guard lock(mutex_);
  Diagnostics reports;
  reports.error(std::move(where), std::move(what));
  events_.reported(reports);
  totals.broken = true;
}

}  // namespace kbench
