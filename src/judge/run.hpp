// A run: all jobs of a trace set, one after the other, each record on disk as soon as it is known.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "base/signing.hpp"
#include "build/builder.hpp"
#include "exec/candidate_process.hpp"
#include "judge/builds.hpp"
#include "judge/configurator.hpp"
#include "judge/contest.hpp"
#include "judge/engine.hpp"
#include "judge/evaluate.hpp"
#include "judge/job.hpp"
#include "judge/prepare.hpp"
#include "judge/stage.hpp"
#include "measure/machine/peaks.hpp"
#include "reference/evaluator.hpp"
#include "schema/config.hpp"
#include "schema/trace_set.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

// A workload made ready, and all that its solutions are judged with.
struct Workplace {
  const Job& job;
  const PreparedWorkload& workload;
  SharedMemory& stage;
  const EvaluateOptions& options;
  std::function<Builds(const std::vector<const Solution*>& solutions)> build;
};

struct RunOptions {
  std::filesystem::path programs;      // folder of kbench-torch and kbench-worker
  std::filesystem::path out;           // traces/ is made below it; "": nothing is written
  std::filesystem::path build_cache;   // built solutions; "": none are looked up or kept
  std::filesystem::path answer_cache;  // answers of the reference; "": none are looked up or kept
  CacheLimits build_limits, answer_limits;
  std::optional<MeasuredPeaks> peaks;  // peaks of this machine, where they are known
  RunConfig config;
  JudgeSettings judge;  // set_judge() brings them to the limits below, too
  std::string rule;
  std::uint64_t seed = 0;
  int build_jobs = 1;                        // compilers at a time
  std::int64_t build_timeout_seconds = 300;  // limit of one solution
  std::optional<ContestRule> contest = {};   // the solutions of a workload are timed in turn
  std::optional<AuditPool> audit = {};       // the judge times and checks every call
  int gpus = 0;                              // GPUs used at once; 0: as many as there are cores for
  std::optional<Emulation> emulation = {};   // CUDA is judged on the processor
  bool references_on_gpu = true;  // those that are timed beside a solution which is there
  bool profile = false;           // solutions in CUDA that passed are called once more, under ncu
  WorkerLimits worker_limits;
  ReferenceLimits reference_limits;
  std::shared_ptr<const SigningKey> signing_key = {};  // key that signs the records
  bool judges_all = false;  // judges also a solution that has failed on other workloads too often
  // Judges a pair in the place of evaluate(), where it is set, and runs nothing on a GPU: kbench
  // shard and grad, derive/.
  std::function<Evaluation(const Job& job, const PreparedWorkload& workload,
                           const Solution& solution, const BuildResult& build,
                           const EvaluateOptions& options)>
      judge_pair = {};
  // Says to which part of a plan the pair belongs.
  std::function<RunRecord(const Job& job, const Solution& solution)> run_of = {};
  // Throws where nothing more may be written to `out`.
  std::function<void()> check_out = {};
  // Says which kernel of a library the solution of a job is.
  std::function<std::optional<KernelRecord>(const Job& job, const Solution& solution)> kernel_of =
      {};
  // Configures solutions that declare parameters, or for which workloads they are; left out, they
  // are run as they stand.
  std::shared_ptr<Configurator> configurator = nullptr;
  bool stamps = false;      // the records say their labels, and profilers are told them
  std::string label = {};   // label of all calls, in the place of each pair's own; kbench tune
  StageEvents stages = {};  // these have labels, too
  // Replaces judging the solutions of each job.
  std::function<void(const Workplace& place)> instead = {};
  // The records of earlier runs; a pair that one of these stands for is not judged again.
  const std::vector<Stored<Trace>>* done = nullptr;
};

// Takes the settings, and derives the limits of calls, of loads (never more than 30 s), of memory
// and of requests to the reference from them.
void set_judge(RunOptions& options, JudgeSettings settings);

// Callbacks for what happens, as it happens.
struct RunEvents {
  // Number of evaluations there are to do: told once, before the first is judged.
  std::function<void(std::size_t evaluations)> planned = [](std::size_t) {};
  std::function<void(const Job& job, const Solution& solution)> started = [](const Job&,
                                                                             const Solution&) {};
  std::function<void(const Job& job, const Solution& solution, const Trace& trace)> finished =
      [](const Job&, const Solution&, const Trace&) {};
  // The job cannot be judged (its reports are in the diagnostics): none of its solutions gets a
  // record.
  std::function<void(const Job& job)> abandoned = [](const Job&) {};
  std::function<void(const Diagnostics& reports)> reported = [](const Diagnostics&) {};
  // The next two may be left out. A workload is ready; what is said of it lives until the next.
  std::function<void(const PreparedWorkload& workload)> prepared = {};
  // An input set was judged, from 0: what the solution left for it.
  std::function<void(std::size_t trial, const std::vector<TensorView>& outputs,
                     const Verdict& verdict)>
      judged = {};
  // The solutions of a job were timed in turn; their records are finished.
  std::function<void(const Job& job, const WorkloadContest& contest)> contested = {};
};

struct RunTotals {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t abandoned = 0;     // evaluations that input kept from being judged: of jobs that are
                                 // wrong, or of solutions without a configuration
  std::size_t refused = 0;       // evaluations of solutions that kbench cannot build here
  std::size_t unrun = 0;         // evaluations whose solution was built and cannot run
  std::size_t not_emulated = 0;  // evaluations that the emulation of CUDA does not know enough for
  bool interrupted = false;
  bool broken = false;  // kbench itself failed in a job
};

// `stop` ends the run after the record in hand.
RunTotals run_jobs(const TraceSet& set, const std::vector<Job>& jobs, const RunOptions& options,
                   const RunEvents& events, const std::atomic<bool>& stop);

}  // namespace kbench
