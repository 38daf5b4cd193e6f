#include "derive/discover.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "derive/combine.hpp"
#include "derive/shard.hpp"

namespace kbench {
namespace {

// Of each rank, or why there are none.
struct Parts {
  std::vector<ReferenceAnswer> answers;  // hold what `outputs` points to
  RankOutputs outputs;
  std::string why;
};

bool is_carried(const Definition& definition, const std::string& axis) {
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), [&](const auto& input) {
    const auto& shape = input.second.shape;
    return shape && std::find(shape->begin(), shape->end(), axis) != shape->end();
  });
}

class Discoverer {
 public:
  Discoverer(const DiscoverRequest& request, ReferenceEvaluator& evaluator)
      : asked_(request), trial_(request.workload.trials.front()), evaluator_(evaluator) {}

  void try_axis(const std::string& axis, std::vector<Discovered>& found) {
    Diagnostics reports;
    const auto layout = shard_layout(asked_.definition, asked_.workload.problem,
                                     {{axis}, asked_.ranks, {}}, {axis, 0, 0, "", ""}, reports);
    if (!layout) {
      found.push_back({axis, "", false, {}, reports.items().front().message});
      return;
    }
    const Parts parts = run(*layout);
    if (!parts.why.empty()) {
      found.push_back({axis, "", false, {}, parts.why});
      return;
    }
    for (const Combine& how : combine_kinds()) {
      if (how.is_by_entry || !how.unfit(asked_.workload.problem, *layout).empty()) continue;
      Discovered one{axis, std::string(how.name), false, {}, ""};
      judge(how, *layout, parts, one);
      found.push_back(std::move(one));
    }
  }

 private:
  Parts run(const ShardLayout& layout) {
    Parts parts;
    const Problem local = rank_problem(asked_.workload.problem, layout);
    for (std::int64_t rank = 0; rank < asked_.ranks; ++rank) {
      const Inputs inputs = rank_inputs(trial_.inputs, local, layout, rank);
      ReferenceEffort effort;
      effort.budget_seconds = 0;
      effort.max_samples = 0;
      ReferenceAnswer answer = evaluator_.evaluate(asked_.definition, local, inputs, effort);
      if (answer.outcome != ReferenceAnswer::Outcome::ok) {
        parts.why = fmt::format("the reference fails on rank {}'s part: {}", rank, answer.message);
        return parts;
      }
      for (std::size_t i = 0; i < local.outputs.size(); ++i) {
        const TensorPlan& wanted = local.outputs[i];
        const TensorView& got = answer.outputs[i];
        if (got.shape == wanted.shape && got.dtype == wanted.dtype) continue;
        parts.why = fmt::format("the reference gives {} {} of rank {}'s part, which must be {}",
                                wanted.name, shape_text(got.shape), rank, shape_text(wanted.shape));
        return parts;
      }
      parts.outputs.push_back(answer.outputs);
      parts.answers.push_back(std::move(answer));
    }
    return parts;
  }

  void judge(const Combine& how, const ShardLayout& layout, const Parts& parts, Discovered& one) {
    const Combined combined = combine_outputs(how, asked_.workload.problem, layout, parts.outputs);
    if (!combined.wrong.empty()) {
      one.why = combined.wrong;
      return;
    }
    const std::vector<std::string> names = output_names(asked_.workload.problem);
    VerdictContext context = verdict_context(asked_.workload.problem, names, asked_.config);
    context.standards = trial_.standards;
    const Verdict verdict = asked_.rule.judge(context, combined.outputs, trial_.reference.outputs);
    one.is_valid = verdict.status == Status::passed;
    one.why = verdict.detail;
    const bool has_numbers = one.is_valid || verdict.status == Status::incorrect_numerical;
    if (has_numbers) one.error = verdict.correctness.max_absolute_error;
  }

  const DiscoverRequest& asked_;
  const Trial& trial_;
  ReferenceEvaluator& evaluator_;
};

}  // namespace

std::vector<Discovered> discover_shardings(const DiscoverRequest& request,
                                           ReferenceEvaluator& evaluator) {
  Discoverer discoverer(request, evaluator);
  std::vector<Discovered> found;
  for (const auto& [axis, kind] : request.definition.axes)
    if (is_carried(request.definition, axis)) discoverer.try_axis(axis, found);
  return found;
}

}  // namespace kbench
