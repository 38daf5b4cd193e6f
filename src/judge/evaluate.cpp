#include "judge/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "exec/gpu_tool.hpp"
#include "exec/sanitizer_report.hpp"
#include "judge/equipment.hpp"
#include "judge/judgement.hpp"
#include "problem/problem.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

SanitizerPlan sanitizer_plan(const Solution& solution, const EvaluateOptions& options) {
  SanitizerPlan plan;
  if (solution.spec.language == Language::cuda) return plan;  // see evaluate_under_tools()
  plan.which = sanitizers_of(options.judge);
  plan.runtime = options.sanitizer_runtime;
  plan.sources = source_names(solution);
  return plan;
}

// Puts it on EvaluateOptions::gpu.
void put_on_gpu(const PreparedWorkload& workload, const EvaluateOptions& options,
                CandidatePlan& plan) {
  plan.worker = options.gpu_worker;
  plan.gpu = gpu_plan(*options.gpu, options.gpu_driver, options.gpu_cupti);
  if (options.judge.rotate)
    plan.gpu->copies = rotating_copies(*options.gpu, tensor_bytes(workload.problem));
}

bool starts_compilers(const Solution& solution, const Gpu* gpu) {
  const bool is_triton = solution.spec.language == Language::triton;
  return solution.is_compiled_reference || (is_triton && gpu != nullptr);
}

bool is_emulated(const Solution& solution, const EvaluateOptions& options) {
  return options.emulation && is_for_gpu(solution.spec.language);
}

// Rates of one row of gemm_n4096_k4096 and the plain kernel, measured on one core of an EPYC.
constexpr double flops_per_second = 2e7;
constexpr double bytes_per_second = 1e7;

// Seconds of a call of a usual kernel, by what the reference computes and moves.
double emulated_seconds(const Work& work) {
  const double moved = static_cast<double>(work.bytes_touched.value_or(work.bytes));
  return std::max(work.flops.value_or(0) / flops_per_second, moved / bytes_per_second);
}

// A part of the work would be no verdict.
void check_emulated_size(const PreparedWorkload& workload, const Emulation& emulation) {
  const double seconds = emulated_seconds(workload.work);
  if (seconds <= emulation.limit_seconds) return;
  throw NotEmulated(fmt::format(
      "too large to emulate: a call would take about {}, and {} are the limit (--emulate-limit)",
      human_time(seconds * 1e9), human_time(emulation.limit_seconds * 1e9)));
}

Evaluation evaluate_under(const GpuTool& tool, const PreparedWorkload& workload,
                          SharedMemory& stage, CandidatePlan plan, const EvaluateOptions& options) {
  plan.tool = tool;
  Judgement judgement(workload, stage, outputs_for(workload, plan), plan, options);
  judgement.load();
  if (!judgement.is_finished()) judgement.judge();
  judgement.end_tool();
  if (!judgement.is_finished()) judgement.pass_untimed();
  return judgement.finish();
}

bool has_passed(const Evaluation& evaluation) { return evaluation.status == Status::passed; }

// Adds what another tool has found.
void add_findings(Evaluation& to, Evaluation&& from) {
  auto& all = to.kbench->findings;
  auto& more = from.kbench->findings;
  if (!more) return;
  all->insert(all->end(), std::make_move_iterator(more->begin()),
              std::make_move_iterator(more->end()));
  to.log += "\n" + from.log;
}

// Judges under each of the tools of compute-sanitizer that are asked for, in a process of its own
// each. The record is that of the first under which it failed, with what all of them found.
Evaluation evaluate_under_tools(const PreparedWorkload& workload, SharedMemory& stage,
                                const Solution& solution, const BuildResult& build,
                                const EvaluateOptions& options) {
  const CandidatePlan plan = candidate_plan(workload, solution, build, options);
  std::optional<Evaluation> record;
  for (const std::string& name :
       names_of(of_language(sanitizers_of(options.judge), Language::cuda))) {
    const GpuTool tool = sanitizer_tool(options.compute_sanitizer, name, source_names(solution));
    Evaluation one = evaluate_under(tool, workload, stage, plan, options);
    const bool is_worse = !record || (has_passed(*record) && !has_passed(one));
    if (is_worse)
      record = std::move(one);
    else
      add_findings(*record, std::move(one));
    if (!has_passed(*record) && !record->kbench->findings) break;  // the next would fail, too
  }
  return *std::move(record);
}

}  // namespace

std::vector<std::string> source_names(const Solution& solution) {
  std::vector<std::string> names;
  for (const SourceFile& source : solution.sources) names.push_back(source.path);
  return names;
}

CandidatePlan candidate_plan(const PreparedWorkload& workload, const Solution& solution,
                             const BuildResult& build, const EvaluateOptions& options) {
  const bool is_hosted = !build.hosted.empty();
  CandidatePlan plan;
  plan.program = sha256_hex(to_json(solution, Dump::full));
  plan.solution = solution.name;
  plan.worker = options.worker;
  plan.library = build.library;
  plan.symbol = is_hosted               ? build.hosted
                : !build.symbol.empty() ? build.symbol
                                        : entry_symbol(solution);
  // Its arguments are those of the entry point, and no other function's.
  const bool is_entry = plan.symbol.substr(plan.symbol.rfind(':') + 1) == entry_symbol(solution);
  if (options.prepare_of && is_entry) plan.prepare = options.prepare_of(solution);
  if (engine_of(options.judge) == Engine::kbench) plan.forks = std::make_shared<Forks>();
  plan.launch = solution.spec.launch;
  plan.configuration = solution.spec.configuration.value_or(ChosenConfiguration{});
  plan.destination_passing = solution.spec.destination_passing_style;
  plan.limits = options.limits;
  plan.scratch_inputs = workload.trials.front().reference.written;
  plan.cores = split_cores(options.limits.threads);
  plan.is_audited = options.audit;
  plan.sanitizers = sanitizer_plan(solution, options);
  if (is_emulated(solution, options))
    plan.emulation = EmulationPlan{options.emulation->seed, options.emulation->limit_seconds};
  const Gpu* const gpu = wants_gpu(solution) ? options.gpu : nullptr;
  if (options.label_of) plan.label = options.label_of(solution, gpu);
  if (is_hosted) plan.host = gpu != nullptr ? options.gpu_host : options.host;
  if (gpu != nullptr) put_on_gpu(workload, options, plan);
  plan.compiler = build.compiler;
  plan.starts_compilers = starts_compilers(solution, gpu);
  return plan;
}

Evaluation evaluate(const PreparedWorkload& workload, SharedMemory& stage, const Solution& solution,
                    const BuildResult& build, const EvaluateOptions& options) {
  if (!build.built) return unbuilt(workload, build, options.audit);
  if (is_emulated(solution, options)) check_emulated_size(workload, *options.emulation);
  if (solution.spec.language == Language::cuda && !options.judge.sanitize.empty())
    return evaluate_under_tools(workload, stage, solution, build, options);
  const CandidatePlan plan = candidate_plan(workload, solution, build, options);
  Judgement judgement(workload, stage, outputs_for(workload, plan), plan, options);
  judgement.load();
  if (judgement.is_finished()) return judgement.finish();
  if (options.audit) {
    judgement.audit();
    return judgement.finish();
  }
  judgement.judge();
  if (judgement.is_finished()) return judgement.finish();
  if (!options.judge.sanitize.empty() || plan.emulation) {
    judgement.pass_untimed();
  } else {
    judgement.time();
  }
  return judgement.finish();
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
