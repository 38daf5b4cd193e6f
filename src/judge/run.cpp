#include "judge/run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <future>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "build/nvrtc.hpp"
#include "judge/builds.hpp"
#include "judge/evaluate.hpp"
#include "judge/gpu_timing.hpp"
#include "judge/judgement.hpp"
#include "judge/pair_judge.hpp"
#include "judge/prepare.hpp"
#include "judge/record.hpp"
#include "judge/run_caches.hpp"
#include "judge/run_hosts.hpp"
#include "judge/timed_reference.hpp"
#include "sandbox/file_view.hpp"

namespace kbench {
namespace {

// The stage and references that a workload is judged with.
struct Ground {
  std::shared_ptr<const PreparedWorkload> workload;
  SharedMemory stage;
  std::optional<TimedReferences> references = {};
};

class Session {
 public:
  Session(const TraceSet& set, const RunOptions& options, const RunEvents& events,
          const std::atomic<bool>& stop)
      : set_(set),
        options_(options),
        events_(events),
        stop_(stop),
        caches_(options),
        toolchain_(toolchain_for(options, caches_, &stop)),
        evaluator_(options.programs / "kbench-torch", options.reference_limits,
                   static_cast<int>(options.judge.threads), stop, caches_.answer_store()),
        hosts_(options, caches_, evaluator_, stop),
        recorder_(options, set.root),
        judge_(options, events, builds_, recorder_, stop) {}

  RunTotals run(std::vector<Job> jobs) {
    if (lacks_profiler()) return judge_.totals;
    jobs = configured(std::move(jobs));
    note_compilers(jobs, toolchain_, recorder_);
    gpus_ = look_for_gpus(jobs, options_);
    if (!gpus_.found.all.empty()) {
      toolchain_.device = gpus_.found.all.front().architecture;
      hosts_.use_gpu(gpus_.found.all.front());
    }
    recorder_.set_device(toolchain_.device);
    if (options_.done != nullptr) jobs = without_done(std::move(jobs), *options_.done);
    events_.planned(count_evaluations(jobs));
    build(jobs);
    for (const Job& job : jobs) {
      if (is_over()) break;
      run_guarded(job);
    }
    judge_waiting();
    judge_.totals.interrupted = stop_;
    caches_.log_problems();
    return judge_.totals;
  }

 private:
  // Tells whether no further job is begun.
  bool is_over() const { return stop_ || no_references_; }

  bool lacks_profiler() {
    const bool is_missing = options_.profile && toolchain_.cuda.ncu.empty();
    if (is_missing) judge_.report_broken({}, no_ncu);
    return is_missing;
  }

  // A solution without a configuration is not run.
  std::vector<Job> configured(std::vector<Job> jobs) {
    if (!options_.configurator) return jobs;
    Diagnostics reports;
    const std::size_t before = count_evaluations(jobs);
    jobs = options_.configurator->configured(set_, std::move(jobs), toolchain_, reports);
    judge_.totals.abandoned += before - count_evaluations(jobs);
    if (!reports.empty()) events_.reported(reports);
    return jobs;
  }

  // Builds what can be judged here, and finds where.
  void build(const std::vector<Job>& jobs) {
    // LibTorch loads in its own process meanwhile, if it is needed.
    hosts_.start_for(jobs);
    auto building = std::async(std::launch::async, [&] { return build_all(jobs); });
    if (!jobs.empty()) look_ahead(jobs.front());
    builds_ = building.get();
    hosts_.refuse_unhosted(jobs, builds_);
    take_gpus(gpus_, builds_, toolchain_, options_, [this] { return wait_for_gpu(); });
    for (auto& [solution, build] : builds_.results) {
      add_instructions(*solution, toolchain_, build);
      spdlog::debug("{}: {} {}", solution->name, build.from_cache ? "found in" : "built in",
                    build.library.string());
    }
    report_unbuilt();
    report_missing_cupti();
  }

  Builds build_all(const std::vector<Job>& jobs) const {
    return kbench::build_all(jobs, toolchain_, options_.build_jobs, options_.stages);
  }

  // Nothing else of a run says why its records have no times of kernels.
  void report_missing_cupti() {
    if (gpus_.taken.empty() || !gpus_.cupti.library.empty()) return;
    warn("there is no CUPTI: no times of kernels stand beside those of the GPU's events",
         gpus_.cupti.problem);
  }

  void warn(std::string message, std::string hint = "") {
    Diagnostics reports;
    reports.warning({}, std::move(message), std::move(hint));
    events_.reported(reports);
  }

  // Says once that it waits; false when it is to end.
  bool wait_for_gpu() {
    if (!std::exchange(waits_, true))
      warn(fmt::format("waiting for {}: another process of kbench has it",
                       gpus_.found.all.front().name));
    return !stop_;
  }

  // Pairs that stand are not judged again, but remembered as if they had been.
  std::vector<Job> without_done(std::vector<Job> jobs, const std::vector<Stored<Trace>>& traces) {
    if (jobs.empty() || traces.empty()) return jobs;
    try {
      recorder_.set_torch_version(evaluator_.torch_version());
    } catch (const std::exception&) {  // nothing can be judged here: it is said with the first job
      return jobs;
    }
    Remaining remaining = kbench::without_done(
        std::move(jobs), traces,
        [&](const Evaluation& record, const Job& job, const Solution& solution) {
          const auto& gpus = gpus_.found.all;
          return recorder_.stands(record, job, solution, gpus.empty() ? nullptr : &gpus.front());
        });
    for (const auto& [solution, record] : remaining.done) judge_.remember(*solution, *record);
    return std::move(remaining.jobs);
  }

  // Starts kbench-torch unless the first answer is kept. Faults of the job are told when its turn
  // comes.
  void look_ahead(const Job& job) try {
    Diagnostics reports;
    auto bound = bind_workload(*job.definition, *job.workload,
                               prepare_options(options_, set_.root, *job.definition), reports);
    if (!bound) return;
    if (!is_answered(*bound, evaluator_)) evaluator_.start();
    if (reports.empty()) first_ = std::move(bound);
  } catch (const std::exception&) {
    first_.reset();
  }

  // A workload that look_ahead has bound already is not bound again.
  std::optional<BoundWorkload> bound_workload(const Job& job, const PrepareOptions& options,
                                              Diagnostics& reports) {
    if (first_ && first_->workload == job.workload && first_->definition == job.definition)
      return std::exchange(first_, std::nullopt);
    return bind_workload(*job.definition, *job.workload, options, reports);
  }

  // A build that was stopped on its way is no fault of any solution.
  void report_unbuilt() {
    if (stop_) return;
    const Diagnostics reports = unbuilt(builds_);
    judge_.totals.broken |= !builds_.broken.empty();
    if (!reports.empty()) events_.reported(reports);
  }

  // The world may be wrong in one job (a disk, a limit): it is said, and the others go on.
  void run_guarded(const Job& job) {
    try {
      run_job(job);
    } catch (const Interrupted&) {
      events_.abandoned(job);
    } catch (const ServiceFailure& failure) {
      no_references_ = true;
      judge_.report_broken({}, failure.what());
      events_.abandoned(job);
    } catch (const std::exception& error) {
      judge_.report_failed(job, error);
      events_.abandoned(job);
    }
  }

  // Returns the solutions of a job that can be judged.
  std::vector<const Solution*> built(const Job& job) {
    std::vector<const Solution*> solutions;
    for (const Solution* solution : job.solutions) {
      if (builds_.results.contains(solution)) {
        if (lacks_gpu(*solution))
          ++judge_.totals.unrun;
        else
          solutions.push_back(solution);
      }
      judge_.count_unjudged(*solution);
    }
    return solutions;
  }

  // Tells whether all GPUs that it could run on have stopped answering.
  bool lacks_gpu(const Solution& solution) {
    if (!wants_gpu(solution) || gpus_.taken.empty()) return false;
    return std::none_of(gpus_.taken.begin(), gpus_.taken.end(),
                        [this](const GpuLock& lock) { return judge_.answers(lock.gpu()); });
  }

  void run_job(const Job& job) {
    std::vector<const Solution*> solutions = built(job);
    if (solutions.empty() && !options_.instead) return;
    const PrepareOptions options = prepare_options(options_, set_.root, *job.definition);
    const auto prepared = prepared_workload(job, options);
    if (!prepared) {
      judge_.totals.abandoned += solutions.size();
      events_.abandoned(job);
      return;
    }
    EvaluateOptions evaluate_options = options_for(options.config, job);
    if (events_.prepared) events_.prepared(*prepared);
    if (options_.instead) return work_instead(job, *prepared, evaluate_options);
    decline_unsupported(job, prepared, evaluate_options, solutions);
    if (solutions.empty()) return;
    std::shared_ptr<Ground> ground(new Ground{prepared, make_stage(*prepared)});
    evaluate_options.references = &ground->references.emplace(
        *prepared, ground->stage, hosts_.of_reference(job, toolchain_), evaluate_options);
    if (options_.contest && solutions.size() > 1)
      judge_together(job, solutions, prepared, ground->stage, evaluate_options);
    else
      judge_apart(job, solutions, prepared, ground->stage, evaluate_options);
    hosts_.end_meanwhile(std::move(ground));
  }

  // Judges one after the other; a solution for one of several GPUs waits for other workloads.
  void judge_apart(const Job& job, const std::vector<const Solution*>& solutions,
                   const std::shared_ptr<const PreparedWorkload>& prepared, SharedMemory& stage,
                   const EvaluateOptions& options) {
    for (const Solution* solution : solutions) {
      if (stop_) return;
      const Pair pair{&job, solution, prepared, options, hosts_.of_reference(job, toolchain_)};
      const bool waits = gpus_.taken.size() > 1 && wants_gpu(*solution);
      if (waits)
        waiting_.push_back(pair);
      else
        judge_.judge(pair, stage);
    }
    if (!waiting_.empty() && ++waiting_jobs_ >= gpus_.taken.size()) judge_waiting();
  }

  void work_instead(const Job& job, const PreparedWorkload& prepared,
                    const EvaluateOptions& options) {
    SharedMemory stage = make_stage(prepared);
    options_.instead(
        {job, prepared, stage, options, [&](const std::vector<const Solution*>& solutions) {
           return build_all({Job{job.definition, job.workload, solutions}});
         }});
  }

  // Records the solutions that declare themselves not for this workload, and does not run them.
  void decline_unsupported(const Job& job, const std::shared_ptr<const PreparedWorkload>& prepared,
                           const EvaluateOptions& options,
                           std::vector<const Solution*>& solutions) {
    if (!options_.configurator) return;
    std::erase_if(solutions, [&](const Solution* solution) {
      const std::string why = options_.configurator->unsupported(job, *solution);
      if (why.empty()) return false;
      events_.started(job, *solution);
      judge_.record({&job, solution, prepared, options},
                    unsupported(*prepared, why, options.audit));
      return true;
    });
  }

  // Prepares the workload; nothing where it cannot be judged, which is reported.
  std::shared_ptr<const PreparedWorkload> prepared_workload(const Job& job,
                                                            const PrepareOptions& options) {
    Diagnostics reports;
    const StageSpan span(options_.stages,
                         {"reference", job.definition->name, job.workload->record.workload.uuid});
    std::shared_ptr<const PreparedWorkload> prepared;
    if (auto bound = bound_workload(job, options, reports))
      if (auto ready = prepare(std::move(*bound), evaluator_, reports))
        prepared = std::make_shared<const PreparedWorkload>(std::move(*ready));
    if (!reports.empty()) events_.reported(reports);
    if (prepared) spdlog::debug("{}", summary_of(*prepared));
    return prepared;
  }

  // Judges as many workloads at once as there are GPUs: then none of these waits for long.
  void judge_waiting() {
    judge_on_gpus(waiting_, gpus_.taken, judge_, stop_);
    waiting_.clear();
    waiting_jobs_ = 0;
  }

  // Times them in turn, so that it is known which is faster.
  void judge_together(const Job& job, const std::vector<const Solution*>& solutions,
                      const std::shared_ptr<const PreparedWorkload>& prepared, SharedMemory& stage,
                      const EvaluateOptions& options) {
    std::vector<Entrant> entrants;
    for (const Solution* solution : solutions) {
      events_.started(job, *solution);
      entrants.push_back({solution, &builds_.results.at(solution)});
    }
    const WorkloadContest result = run_contest(
        {*prepared, options, start_of_runs(*prepared, stage, options, Judging::as_alone)}, entrants,
        *options_.contest);
    for (const JudgedEntrant& one : result.entrants)
      judge_.record_judged({&job, one.solution, prepared, options}, one);
    for (const JudgedEntrant& one : result.entrants)
      judge_.ask_gpu({&job, one.solution, prepared, options}, one.evaluation.status);
    if (events_.contested) events_.contested(job, result);
  }

  EvaluateOptions options_for(const ResolvedConfig& config, const Job& job) {
    EvaluateOptions options;
    options.judge = options_.judge;
    options.worker = options_.programs / worker_program(engine_of(options.judge));
    options.rule = find_rule(options_.rule);
    options.config = config;
    options.limits = options_.worker_limits;
    if (engine_of(options.judge) == Engine::google_benchmark)  // the engine describes the machine
      options.limits.readable = machine_files();
    if (!toolchain_.tvm_ffi_lib.empty()) options.limits.readable.push_back(toolchain_.tvm_ffi_lib);
    options.peaks = options_.peaks ? &*options_.peaks : nullptr;
    options.evaluator = &evaluator_;
    recorder_.set_torch_version(evaluator_.torch_version());
    options.host = hosts_.python();
    options.gpu_host = hosts_.gpu();
    options.gpu_worker = options_.programs / gpu_worker_program;
    options.gpu = gpus_.taken.empty() ? nullptr : &gpus_.taken.front().gpu();
    options.gpu_driver = gpus_.found.driver;
    options.gpu_cupti = gpus_.cupti.library;
    options.judged = events_.judged;
    options.prepare_of = prepares_by(options_.configurator);
    options.stages = options_.stages;
    if (options_.stamps)
      options.label_of = std::bind_front(&PairJudge::label_of, &judge_, std::cref(job));
    options.emulation = options_.emulation;
    options.audit = options_.audit.has_value();
    options.sanitizer_runtime = sanitizer_runtime(toolchain_);
    options.ncu = toolchain_.cuda.ncu;
    options.compute_sanitizer = toolchain_.cuda.compute_sanitizer;
    return options;
  }

  const TraceSet& set_;
  const RunOptions& options_;
  const RunEvents& events_;
  const std::atomic<bool>& stop_;
  RunCaches caches_;
  Toolchain toolchain_;
  ReferenceEvaluator evaluator_;
  RunHosts hosts_;
  Recorder recorder_;
  Builds builds_;
  RunGpus gpus_;
  PairJudge judge_;
  std::vector<Pair> waiting_;  // pairs for GPUs, where there are several
  std::size_t waiting_jobs_ = 0;
  bool waits_ = false;
  std::optional<BoundWorkload> first_;  // workload that look_ahead() has bound
  bool no_references_ = false;          // kbench-torch does not work: said once, not for every job
};

}  // namespace

RunTotals run_jobs(const TraceSet& set, const std::vector<Job>& jobs, const RunOptions& options,
                   const RunEvents& events, const std::atomic<bool>& stop) {
  return Session(set, options, events, stop).run(jobs);
}

}  // namespace kbench
