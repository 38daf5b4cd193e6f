#include "judge/derive/gradient_prepare.hpp"

#include <fmt/format.h>

#include <utility>

#include "judge/derive/backward_inputs.hpp"
#include "judge/output_standards.hpp"

namespace kbench {
namespace {

class Preparer {
 public:
  Preparer(const Definition& definition, const PreparedWorkload& workload,
           ReferenceEvaluator& evaluator, const GradientEffort& effort, PreparedGradient& out)
      : definition_(definition),
        workload_(workload),
        evaluator_(evaluator),
        effort_(effort),
        out_(out) {}

  void add_all() {
    const auto& trials = workload_.trials;
    const GradientProblem& problem = out_.problem;
    std::vector<Cotangent> cotangents;
    if (effort_.quick)
      cotangents.push_back(random_cotangent(problem, effort_.seed, 0));
    else
      cotangents = cotangents_for(problem, effort_.seed);
    add_random(trials.front(), "random", std::move(cotangents));
    if (effort_.quick || !out_.failure.empty() || !out_.rough.empty()) return;
    if (trials.size() > 1) add_random(trials[1], "random 1", one(2));
    for (const Trial& trial : workload_.structured)
      if (trial.set == InputSet::exact) add_other(trial, "exact", 3);
    if (!is_costly(trials.front())) add_zeros();
  }

 private:
  std::vector<Cotangent> one(std::uint32_t draw) const {
    std::vector<Cotangent> out;
    out.push_back(random_cotangent(out_.problem, effort_.seed, draw));
    return out;
  }

  // False, and why, where the reference has no answer.
  bool answer(GradientCase& added, std::string& why) {
    for (const Cotangent& cotangent : added.cotangents) {
      const Trial& trial = *added.trial;
      added.gradients.push_back(ask_gradient(
          evaluator_, {definition_, workload_.problem, out_.problem, trial.inputs, trial.reference},
          cotangent, trial.set));
      why = added.gradients.back().problem;
      if (!why.empty()) return false;
    }
    return true;
  }

  void add_random(const Trial& trial, const char* name, std::vector<Cotangent> cotangents) {
    GradientCase added{name, &trial, std::move(cotangents), {}};
    if (!answer(added, out_.failure)) return;
    for (const GradientReference& gradient : added.gradients) {
      if (out_.rough.empty()) out_.rough = gradient.rough;
    }
    out_.cases.push_back(std::move(added));
  }

  // Inputs at which a reference may have a kink that random ones do not meet.
  void add_other(const Trial& trial, const char* name, std::uint32_t draw) {
    GradientCase added{name, &trial, one(draw), {}};
    std::string why;
    if (!answer(added, why)) return out_.dropped.push_back({name, std::move(why)});
    const auto& rough = added.gradients.front().rough;
    if (rough.empty())
      out_.cases.push_back(std::move(added));
    else
      out_.dropped.push_back({name, fmt::format("the reference has no gradient there by \"{}\": {}",
                                                rough.front().input, rough.front().why)});
  }

  void add_zeros() {
    const Trial& first = workload_.trials.front();
    auto trial = std::make_unique<Trial>();
    trial->inputs = with_zeros(first.inputs);
    trial->reference =
        evaluator_.evaluate(definition_, workload_.problem, trial->inputs, {}, {.wanted = true});
    if (trial->reference.outcome != ReferenceOutcome::ok)
      return out_.dropped.push_back({"zeros", trial->reference.message});
    ErrorTolerances made =
        error_tolerances_of(definition_, workload_.problem, trial->inputs, trial->reference);
    trial->standards = std::move(made.outputs);
    add_other(*trial, "zeros", 4);
    out_.own.push_back(std::move(trial));
  }

  const Definition& definition_;
  const PreparedWorkload& workload_;
  ReferenceEvaluator& evaluator_;
  const GradientEffort& effort_;
  PreparedGradient& out_;
};

}  // namespace

PreparedGradient prepare_gradient(const Definition& definition, const PreparedWorkload& workload,
                                  const GradientSpec& spec, ReferenceEvaluator& evaluator,
                                  const GradientEffort& effort) {
  PreparedGradient out;
  out.definition = &definition;
  out.workload = &workload;
  out.problem = gradient_problem(workload.problem, spec);
  if (out.problem.outputs.empty()) {
    out.failure = "it has no floating output";
  } else if (out.problem.inputs.empty()) {
    out.failure = "it has no floating input that is not declared nondiff";
  } else if (!workload.trials.empty() && workload.trials.front().check) {
    out.failure = "outputs are judged by its check(), which says nothing of gradients";
  } else {
    Preparer(definition, workload, evaluator, effort, out).add_all();
  }
  return out;
}

std::string reference_problem(const PreparedGradient& prepared) {
  if (!prepared.failure.empty())
    return fmt::format("REFERENCE_NOT_DIFFERENTIABLE: {}", prepared.failure);
  if (prepared.rough.empty()) return "";
  return fmt::format("REFERENCE_NOT_DIFFERENTIABLE by \"{}\": {}", prepared.rough.front().input,
                     prepared.rough.front().why);
}

}  // namespace kbench
