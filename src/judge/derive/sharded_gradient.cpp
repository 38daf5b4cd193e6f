// Ranks that are asked for gradients.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "judge/derive/gradient_prepare.hpp"
#include "judge/derive/gradient_problem.hpp"
#include "judge/derive/shard.hpp"
#include "judge/derive/sharded.hpp"
#include "judge/equipment.hpp"
#include "judge/judgement.hpp"

namespace kbench {
namespace {

// A rank's part of dy: of an output that is cut its part, of a sum all of it.
Cotangent cut(const Cotangent& whole, const GradientProblem& problem, const ShardLayout& layout,
              const Problem& local, std::int64_t rank) {
  Cotangent part;
  part.label = whole.label;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const std::size_t output = problem.outputs[i];
    const TensorPlan& plan = local.outputs[output];
    const bool is_cut = layout.is_cut(output);
    part.bytes.emplace_back(storage_bytes(plan.dtype, element_count(plan.shape)));
    copy_slice(whole.tensors[i].tensor,
               is_cut ? Slice{layout.outputs[output], rank, layout.ranks} : Slice{},
               part.bytes.back().data());
  }
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const TensorPlan& plan = local.outputs[problem.outputs[i]];
    part.tensors.push_back({whole.tensors[i].name,
                            {plan.dtype, plan.shape, part.bytes[i].data(), part.bytes[i].size()}});
  }
  return part;
}

// Layout by which the gradients of the inputs are put together.
ShardLayout gradient_layout(const ShardLayout& layout, const GradientProblem& problem) {
  ShardLayout out{layout.axes, layout.ranks, {}, {}};
  for (const std::size_t input : problem.inputs) out.outputs.push_back(layout.inputs[input]);
  return out;
}

class GradientRun {
 public:
  GradientRun(const ShardSubject& subject, const ShardPlan& plan, const ShardedGradient& gradient,
              const PreparedGradient& prepared, ShardResult& result)
      : subject_(subject),
        plan_(plan),
        prepared_(prepared),
        result_(result),
        local_(rank_problem(subject.workload.problem, plan.layout)),
        problem_(gradient_problem(local_, gradient.spec)),
        whole_plan_(
            candidate_plan(subject.workload, subject.solution, subject.build, subject.options)),
        functions_(gradient.functions) {
    result_.has = layout_text(local_, plan.layout);
    evaluation_.timestamp = timestamp_now();
    evaluation_.kbench.emplace();
    evaluation_.kbench->trust = "plain";
    evaluation_.kbench->seed = std::to_string(subject.workload.seed);
  }

  Evaluation run() {
    const std::string axis = join(plan_.layout.axes, ",");
    const std::vector<Inputs> first = cut_inputs(prepared_.cases.front());
    Ranks forward(plan_of_function(whole_plan_, functions_.forward.function, plan_),
                  problem_.forward, first, axis, *plan_.transport);
    if (!did(forward.load(), functions_.forward)) return std::move(evaluation_);
    for (const GradientCase& one : prepared_.cases)
      if (!judge_case(forward, one)) return std::move(evaluation_);
    evaluation_.status = Status::passed;
    evaluation_.correctness = correctness_;
    return std::move(evaluation_);
  }

 private:
  std::vector<Inputs> cut_inputs(const GradientCase& one) const {
    std::vector<Inputs> inputs;
    for (std::int64_t rank = 0; rank < plan_.layout.ranks; ++rank)
      inputs.push_back(rank_inputs(one.trial->inputs, local_, plan_.layout, rank));
    return inputs;
  }

  bool fail(Status status, const std::string& cause) {
    evaluation_.status = status;
    evaluation_.kbench->cause = printable(cause);
    evaluation_.log = *evaluation_.kbench->cause + "\n";
    return false;
  }

  bool did(const std::optional<CandidateFailure>& failure, const FoundMethod& method) {
    return !failure ||
           fail(failure->status, fmt::format("{}: {}", method.function, failure->cause));
  }

  bool judge_case(Ranks& forward, const GradientCase& one) {
    const std::vector<Inputs> inputs = cut_inputs(one);
    if (!did(forward.call(inputs), functions_.forward)) return false;
    const RankOutputs left = forward.outputs();
    for (std::size_t i = 0; i < one.cotangents.size(); ++i)
      if (!judge_cotangent(inputs, left, one, i)) return false;
    return true;
  }

  bool judge_cotangent(const std::vector<Inputs>& inputs, const RankOutputs& left,
                       const GradientCase& one, std::size_t number) {
    std::vector<Inputs> asked;
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
      const Cotangent part = cut(one.cotangents[number], prepared_.problem, plan_.layout, local_,
                                 static_cast<std::int64_t>(rank));
      // The forward call leaves outputs, then residuals: so they are asked for.
      asked.push_back(backward_inputs(problem_, inputs[rank], left[rank], part));
    }
    if (!backward_) {
      backward_ = std::make_unique<Ranks>(
          plan_of_function(whole_plan_, functions_.backward.function, plan_), problem_.backward,
          asked, join(plan_.layout.axes, ","), *plan_.transport);
      if (!did(backward_->load(), functions_.backward)) return false;
    }
    if (!did(backward_->call(asked), functions_.backward)) return false;
    if (!judge(one, number)) return false;
    if (!plan_.timed || result_.times) return true;
    RankTimes times;
    if (!did(backward_->time(sampling_rule(subject_.options), times), functions_.backward))
      return false;
    // The timed calls must have computed their answer.
    if (!judge(one, number))
      return fail(evaluation_.status, "after the timed calls: " + *evaluation_.kbench->cause);
    result_.times = std::move(times);
    evaluation_.performance = Performance{};
    evaluation_.performance->latency_ms = result_.times->total_ns * 1e-6;
    return true;
  }

  bool judge(const GradientCase& one, std::size_t number) {
    const GradientProblem& whole = prepared_.problem;
    const Combined combined =
        combine_outputs(*find_combine("sum"), whole.backward, gradient_layout(plan_.layout, whole),
                        backward_->outputs());
    const GradientReference& reference = one.gradients[number];
    const std::vector<std::string> names = output_names(whole.backward);
    VerdictContext context = verdict_context(whole.backward, names, subject_.options.config);
    context.standards = reference.standards;
    const Verdict verdict =
        find_rule("kbench")->judge(context, combined.outputs, reference.answer.outputs);
    const Correctness& now = verdict.correctness;
    correctness_.max_absolute_error =
        std::max(correctness_.max_absolute_error, now.max_absolute_error);
    correctness_.max_relative_error =
        std::max(correctness_.max_relative_error, now.max_relative_error);
    const std::string unwritten =
        backward_->unwritten(verdict.status == Status::passed && combined.wrong.empty());
    if (verdict.status == Status::passed && unwritten.empty()) return true;
    evaluation_.correctness = now;
    return fail(verdict.status == Status::passed ? Status::incorrect_numerical : verdict.status,
                fmt::format("of {} inputs, dy {}: {}", one.set, one.cotangents[number].label,
                            unwritten.empty() ? verdict.detail : unwritten));
  }

  const ShardSubject& subject_;
  const ShardPlan& plan_;
  const PreparedGradient& prepared_;
  ShardResult& result_;
  const Problem local_;
  const GradientProblem problem_;  // a rank's
  const CandidatePlan whole_plan_;
  const GradientFunctions functions_;
  std::unique_ptr<Ranks> backward_;
  Evaluation evaluation_;
  Correctness correctness_;
};

}  // namespace

std::string unfit_backward(const ShardPlan& plan, const Problem& whole) {
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    if (plan.layout.is_cut(i) || plan.layout.ranks == 1) continue;
    if (plan.combine->name != "sum")
      return fmt::format(
          "{} is whole on every rank and combined by {}: only of a sum is it known "
          "what of dy a rank gets",
          whole.outputs[i].name, plan.combine->name);
  }
  return "";
}

Evaluation evaluate_sharded_gradient(const ShardSubject& subject, const ShardPlan& plan,
                                     const ShardedGradient& gradient, ShardResult& result) {
  if (!subject.build.built) return unbuilt(subject.workload, subject.build, false);
  const PreparedGradient prepared =
      prepare_gradient(gradient.definition, subject.workload, gradient.spec,
                       *subject.options.evaluator, {subject.workload.seed, true});
  if (const std::string problem = reference_problem(prepared); !problem.empty())
    throw std::runtime_error("gradients of the reference: " + problem);
  return GradientRun(subject, plan, gradient, prepared, result).run();
}

}  // namespace kbench
