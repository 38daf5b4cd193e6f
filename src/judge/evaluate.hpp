// The pipeline of one solution on one workload: the one place that names every stage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "build/builder.hpp"
#include "exec/candidate_process.hpp"
#include "exec/gpus.hpp"
#include "judge/engine.hpp"
#include "judge/prepare.hpp"
#include "judge/stage.hpp"
#include "measure/machine/peaks.hpp"
#include "schema/config.hpp"
#include "schema/trace.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

class TimedReferences;

// Solutions in CUDA and Triton are judged on the processor: docs/emulation.md.
struct Emulation {
  std::uint64_t seed = 0;     // seed of the orders of blocks, warps and lanes
  double limit_seconds = 60;  // limit of a call by the estimate; a longer one is not begun
};

struct EvaluateOptions {
  std::filesystem::path worker;  // worker_program() of the engine
  const VerdictRule* rule = nullptr;
  ResolvedConfig config;
  WorkerLimits limits;
  JudgeSettings judge;
  const MeasuredPeaks* peaks = nullptr;     // this machine's; none: times stand for themselves
  ReferenceEvaluator* evaluator = nullptr;  // evaluator of questions beyond the workload's answers
  CandidateHost* host = nullptr;            // host of candidates that run in Python
  CandidateHost* gpu_host = nullptr;        // host of those whose tensors are on a GPU
  TimedReferences* references = nullptr;    // the workload's; none: its reference is not timed
  std::filesystem::path gpu_worker = {};    // kbench-worker-cuda, of those that run in no Python
  const Gpu* gpu = nullptr;                 // device that these run on
  std::string gpu_driver = {};
  std::string gpu_cupti = {};
  // Callback for each input set that was judged, by its number in judged_sets(); may be left out.
  std::function<void(std::size_t set, const std::vector<TensorView>& outputs,
                     const Verdict& verdict)>
      judged = {};
  // The function of a Solution's library that is called once before the calls of its entry point;
  // "": none. May be left out.
  std::function<std::string(const Solution& solution)> prepare_of = {};
  StageEvents stages = {};
  // Returns the label of a solution's calls, on a GPU or on none; left out: they have none.
  std::function<std::string(const Solution& solution, const Gpu* gpu)> label_of = {};
  std::optional<Emulation> emulation = {};
  bool audit = false;  // the workload's trials are calls that the judge times
  std::filesystem::path sanitizer_runtime = {};
  std::filesystem::path compute_sanitizer = {};  // tool that solutions in CUDA run under then
  std::filesystem::path ncu = {};                // program of --profile
};

// Build → load → call and judge each trial → time → judge again → the record. Audited: build → load
// → time and judge each trial, in an order of its own → the record. `stage` is the workload's
// (make_stage), and nobody else's meanwhile.
Evaluation evaluate(const PreparedWorkload& workload, SharedMemory& stage, const Solution& solution,
                    const BuildResult& build, const EvaluateOptions& options);

// Returns how its process is started.
CandidatePlan candidate_plan(const PreparedWorkload& workload, const Solution& solution,
                             const BuildResult& build, const EvaluateOptions& options);

// Names of its sources, as sanitizers write them.
std::vector<std::string> source_names(const Solution& solution);

// The record of a solution that is not run any more after `failures` failures, the last of them
// `last`: FlashInfer-Bench's persistent runner does the same.
Evaluation skipped_after(const Evaluation& last, int failures);

}  // namespace kbench
