#include "evaluate/run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "evaluate/builds.hpp"
#include "evaluate/environment.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/prepare.hpp"
#include "schema/write.hpp"

namespace kbench {
namespace {

// How often a solution may fail before its other workloads are not run: FlashInfer-Bench's numbers.
int allowed_failures(Status status) {
  switch (status) {
    case Status::passed:
    case Status::incorrect_numerical:
      return 0;  // never held against it
    case Status::compile_error:
    case Status::timeout:
      return 1;
    default:
      return 3;
  }
}

struct FailureMemory {
  int failures = 0;
  Evaluation last;

  bool skips() const { return failures > 0 && failures >= allowed_failures(last.status); }

  void note(const Evaluation& evaluation) {
    if (evaluation.status == Status::passed) failures = 0;
    if (allowed_failures(evaluation.status) == 0) return;
    ++failures;
    last = evaluation;
  }
};

class Session {
 public:
  Session(const TraceSet& set, const RunOptions& options, const RunEvents& events)
      : set_(set),
        options_(options),
        events_(events),
        toolchain_(system_toolchain()),
        evaluator_(options.programs / "kbench-torch", options.reference_limits, options.threads) {}

  RunTotals run(const std::vector<Job>& jobs, const std::atomic<bool>& stop) {
    // LibTorch loads in its own process meanwhile.
    builds_ = build_all(jobs, toolchain_, options_.build_jobs);
    for (const auto& [solution, build] : builds_.results) {
      spdlog::debug("{}: {} {}", solution->name, build.from_cache ? "found in" : "built in",
                    build.library.string());
    }
    report_refused();
    for (const Job& job : jobs) {
      if (stop) break;
      run_guarded(job, stop);
    }
    totals_.interrupted = stop;
    return totals_;
  }

 private:
  void report_refused() {
    Diagnostics reports;
    for (const auto& [solution, reason] : builds_.refused) {
      reports.warning({}, fmt::format("solution \"{}\" is not judged: {}", solution->name, reason));
    }
    if (!reports.empty()) events_.reported(reports);
  }

  // The world may be wrong in one job (a disk, a limit): it is said, and the others go on.
  void run_guarded(const Job& job, const std::atomic<bool>& stop) {
    try {
      run_job(job, stop);
    } catch (const std::exception& error) {
      Diagnostics reports;
      reports.error(
          {job.workload->path, job.workload->line, 1, "", ""},
          fmt::format("kbench failed on workload {} of {}: {}", job.workload->record.workload.uuid,
                      job.definition->name, error.what()));
      events_.reported(reports);
      events_.abandoned(job);
      totals_.broken = true;
    }
  }

  void run_job(const Job& job, const std::atomic<bool>& stop) {
    std::vector<const Solution*> solutions;
    for (const Solution* solution : job.solutions) {
      if (builds_.refused.contains(solution)) {
        ++totals_.refused;
      } else {
        solutions.push_back(solution);
      }
    }
    if (solutions.empty()) return;
    const ResolvedConfig config =
        resolve(options_.config, job.definition->op_type, job.definition->name);
    Diagnostics reports;
    const PrepareOptions prepare_options{config, set_.root, options_.seed, options_.threads,
                                         options_.budget_seconds};
    const auto prepared =
        prepare(*job.definition, *job.workload, prepare_options, evaluator_, reports);
    if (!reports.empty()) events_.reported(reports);
    if (prepared) log_prepared(*prepared);
    if (!prepared) {
      totals_.abandoned += solutions.size();
      events_.abandoned(job);
      return;
    }
    const EvaluateOptions evaluate_options = options_for(config);
    for (const Solution* solution : solutions) {
      if (stop) return;
      judge(job, *solution, *prepared, evaluate_options);
    }
  }

  static void log_prepared(const PreparedWorkload& prepared) {
    spdlog::debug(
        "{} {}: {} input sets of {}, reference {}", prepared.problem.definition,
        prepared.problem.workload, prepared.trials.size(),
        human_bytes(static_cast<double>(prepared.stage.size())),
        prepared.reference_median_ns ? human_time(*prepared.reference_median_ns) : "not timed");
  }

  EvaluateOptions options_for(const ResolvedConfig& config) {
    EvaluateOptions options;
    options.worker = options_.programs / "kbench-worker";
    options.rule = find_rule(options_.rule);
    options.config = config;
    options.limits = options_.worker_limits;
    options.timing_budget_seconds = options_.budget_seconds;
    if (environment_.hardware.empty()) {
      environment_ =
          describe_environment(evaluator_.torch_version(), toolchain_.compiler.filename().string());
    }
    options.environment = environment_;
    return options;
  }

  void judge(const Job& job, const Solution& solution, const PreparedWorkload& prepared,
             const EvaluateOptions& options) {
    events_.started(job, solution);
    FailureMemory& memory = failures_[&solution];
    Trace trace;
    trace.definition = job.definition->name;
    trace.workload = job.workload->record.workload;
    trace.solution = solution.name;
    if (memory.skips()) {
      trace.evaluation = skipped_after(memory.last, memory.failures);
    } else {
      trace.evaluation = evaluate(prepared, solution, builds_.results.at(&solution), options);
      memory.note(*trace.evaluation);
    }
    ++(trace.evaluation->status == Status::passed ? totals_.passed : totals_.failed);
    if (!options_.out.empty()) {
      append_line(trace_file(options_.out, solution, *job.definition), to_json(trace, Dump::full));
    }
    events_.finished(job, solution, trace);
  }

  const TraceSet& set_;
  const RunOptions& options_;
  const RunEvents& events_;
  Toolchain toolchain_;
  ReferenceEvaluator evaluator_;
  Environment environment_;
  Builds builds_;
  std::map<const Solution*, FailureMemory> failures_;
  RunTotals totals_;
};

}  // namespace

RunTotals run_jobs(const TraceSet& set, const std::vector<Job>& jobs, const RunOptions& options,
                   const RunEvents& events, const std::atomic<bool>& stop) {
  return Session(set, options, events).run(jobs, stop);
}

}  // namespace kbench
