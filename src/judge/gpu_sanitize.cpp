#include "judge/gpu_sanitize.hpp"

#include <iterator>
#include <utility>

#include "exec/gpu_tool.hpp"
#include "judge/judgement.hpp"

namespace kbench {
namespace {

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

// What another tool has found, too.
void add_findings(Evaluation& to, Evaluation&& from) {
  auto& all = to.kbench->findings;
  auto& more = from.kbench->findings;
  if (!more) return;
  all->insert(all->end(), std::make_move_iterator(more->begin()),
              std::make_move_iterator(more->end()));
  to.log += "\n" + from.log;
}

}  // namespace

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
    if (!has_passed(*record) && !record->kbench->findings) break;  // it would, again
  }
  return *std::move(record);
}

}  // namespace kbench
