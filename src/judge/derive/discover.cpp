#include "judge/derive/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "judge/derive/combine.hpp"
#include "judge/derive/shard.hpp"
#include "judge/trial_verdict.hpp"

namespace kbench {
namespace {

// The answer of each rank, or why there are none.
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
      : asked_(request), sets_(judged_sets(request.workload)), evaluator_(evaluator) {}

  // Whether a constraint keeps these axes from being cut without others.
  bool try_axes(const std::vector<std::string>& axes, std::vector<Discovered>& found) {
    Diagnostics reports;
    Discovered one;
    one.axis = join(axes, ",");
    const auto layout = shard_layout(asked_.definition, asked_.workload.problem,
                                     {axes, asked_.ranks, {}}, {}, reports);
    one.why = layout ? "" : reports.items().front().message;
    std::vector<Parts> parts;  // of each input set
    for (std::size_t i = 0; layout && i < sets_.size() && one.why.empty(); ++i) {
      parts.push_back(run(*sets_[i], *layout, false));
      one.why = parts.back().why;
    }
    if (!one.why.empty()) {
      found.push_back(one);
      return !layout && one.why.starts_with("constraint ");
    }
    for (const Combine& how : combine_kinds()) {
      if (how.is_by_entry || !how.unfit(asked_.workload.problem, *layout).empty()) continue;
      one.combine = how.name;
      judge(how, *layout, parts, one);
      found.push_back(std::exchange(one, {one.axis, "", false, false, {}, ""}));
    }
    return false;
  }

 private:
  Parts run(const Trial& trial, const ShardLayout& layout, bool is_exact) {
    Parts parts;
    const Problem local = rank_problem(asked_.workload.problem, layout);
    for (std::int64_t rank = 0; rank < asked_.ranks; ++rank) {
      const Inputs inputs = rank_inputs(trial.inputs, local, layout, rank);
      ReferenceAnswer answer =
          evaluator_.evaluate(asked_.definition, local, inputs, {},
                              {.wanted = is_exact, .least_runs = 0, .most_runs = 0});
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

  void judge(const Combine& how, const ShardLayout& layout, const std::vector<Parts>& parts,
             Discovered& one) {
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Combined combined =
          combine_outputs(how, asked_.workload.problem, layout, parts[i].outputs);
      one.why = combined.wrong;
      if (!one.why.empty()) return;
      verdicts.push_back(trial_verdict(asked_.rule, asked_.workload.problem, asked_.config,
                                       *sets_[i], combined.outputs));
      if (verdicts.back().status != Status::passed) break;
    }
    const bool is_one_wrong = verdicts.back().status != Status::passed;
    const Verdict verdict = is_one_wrong ? verdicts.back() : combine(verdicts);
    one.is_valid = verdict.status == Status::passed;
    one.why = verdict.detail;
    const bool has_numbers = one.is_valid || verdict.status == Status::incorrect_numerical;
    if (has_numbers) one.error = verdict.correctness.max_absolute_error;
    const bool may_be_rounding = !one.is_valid && how.name == "sum" && rounds_outputs();
    if (may_be_rounding && is_sum_unrounded(layout)) {
      one.is_valid_unrounded = true;
      one.why = fmt::format("right where the ranks' sums are not rounded to {} before",
                            info(asked_.workload.problem.outputs.front().dtype).name);
    }
  }

  bool rounds_outputs() const {
    const auto& outputs = asked_.workload.problem.outputs;
    return std::all_of(outputs.begin(), outputs.end(), [](const TensorPlan& output) {
      return info(output.dtype).kind == DTypeKind::floating && info(output.dtype).bits < 32;
    });
  }

  bool is_sum_unrounded(const ShardLayout& layout) {
    return std::all_of(sets_.begin(), sets_.end(),
                       [&](const Trial* set) { return is_sum_unrounded(*set, layout); });
  }

  // In double precision the sum over ranks is the whole's answer, but for its last digits.
  bool is_sum_unrounded(const Trial& trial, const ShardLayout& layout) {
    constexpr double tolerance = 1e-9;  // of the largest part of a sum
    const Parts parts = run(trial, layout, true);
    const auto& whole = trial.reference.exact;
    if (!parts.why.empty() || !whole) return false;
    for (const ReferenceAnswer& answer : parts.answers)
      if (!answer.exact) return false;
    for (std::size_t i = 0; i < whole->outputs.size(); ++i) {
      const auto& wanted = whole->outputs[i].values;
      if (layout.is_cut(i)) return false;
      for (std::size_t at = 0; at < wanted.size(); ++at) {
        double sum = 0, largest = std::fabs(wanted[at]);
        for (const ReferenceAnswer& answer : parts.answers) {
          const double part = answer.exact->outputs[i].values[at];
          sum += part;
          largest = std::max(largest, std::fabs(part));
        }
        if (!(std::fabs(sum - wanted[at]) <= tolerance * largest)) return false;
      }
    }
    return true;
  }

  const DiscoverRequest& asked_;
  const std::vector<const Trial*> sets_;
  ReferenceEvaluator& evaluator_;
};

}  // namespace

std::vector<Discovered> discover_shardings(const DiscoverRequest& request,
                                           ReferenceEvaluator& evaluator) {
  Discoverer discoverer(request, evaluator);
  std::vector<Discovered> found;
  std::vector<std::string> bound;  // axes that are not cut alone
  for (const auto& [axis, kind] : request.definition.axes)
    if (is_carried(request.definition, axis) && discoverer.try_axes({axis}, found))
      bound.push_back(axis);
  for (std::size_t i = 0; i < bound.size(); ++i)
    for (std::size_t j = i + 1; j < bound.size(); ++j)
      discoverer.try_axes({bound[i], bound[j]}, found);
  return found;
}

}  // namespace kbench
