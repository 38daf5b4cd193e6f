#include "judge/derive/gradient_prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "judge/contraction.hpp"
#include "judge/output_standards.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

// A question to autograd.
struct GradientQuestion {
  const Definition& definition;
  const Problem& problem;  // the Definition's
  const GradientProblem& gradients;
  const Inputs& inputs;
  const ReferenceAnswer& reference;  // answer to these inputs
};

GradientQuestion question_of(const PreparedGradient& prepared, const Trial& trial) {
  return {*prepared.definition, prepared.workload->problem, prepared.problem, trial.inputs,
          trial.reference};
}

constexpr double slope_tolerance = 1e-3;  // a difference of piecewise linear functions has kinks
constexpr double noise_margin = 64;

const GradientAnswer::Gradient* gradient_by(const GradientAnswer& answer, const std::string& name) {
  for (const auto& gradient : answer.gradients)
    if (gradient.input == name) return &gradient;
  return nullptr;
}

// Keeps, of two passes of the same reference, the gradients by differentiable inputs.
void keep(GradientAnswer native, GradientAnswer exact, const GradientQuestion& question,
          GradientReference& out) {
  ExactAnswer& doubles = out.answer.exact.emplace();
  for (const std::size_t place : question.gradients.inputs) {
    const std::string& name = question.problem.inputs[place].tensor.name;
    const auto* const by_native = gradient_by(native, name);
    const auto* const by_exact = gradient_by(exact, name);
    if (by_native == nullptr || by_exact == nullptr) {
      out.problem = fmt::format("the reference has no gradient by \"{}\"", name);
      return;
    }
    out.answer.outputs.push_back(by_native->native);
    doubles.outputs.push_back(by_exact->exact);
  }
  doubles.perturbed_runs = exact.perturbed_runs;
  doubles.longest_sum = exact.longest_sum;
  doubles.shares_an_error = exact.shares_an_error;
  doubles.memory = std::move(exact.memory);
  out.answer.memory = std::move(native.memory);
  out.answer.evaluator = native.evaluator;
}

std::string slope_problem(const Slope& slope) {
  const double off = std::fabs(slope.by_gradient - slope.by_difference);
  const double limit = slope_tolerance * std::max(std::fabs(slope.by_difference), slope.size) +
                       noise_margin * slope.noise;
  if (off <= limit) return "";
  return fmt::format(
      "along a random direction the outputs change by {:.6g}, autograd says {:.6g} (limit on the "
      "difference {:.2g})",
      slope.by_difference, slope.by_gradient, limit);
}

// NaN and infinities: the reference divides by zero there, say.
bool is_finite(const ExactTensor& tensor) {
  return std::all_of(tensor.values.begin(), tensor.values.end(),
                     [](double value) { return std::isfinite(value); });
}

void look_at_slopes(const GradientAnswer& exact, const GradientQuestion& question,
                    GradientReference& out) {
  for (const std::size_t place : question.gradients.inputs) {
    const std::string& name = question.problem.inputs[place].tensor.name;
    const auto* const gradient = gradient_by(exact, name);
    if (gradient == nullptr) continue;
    if (!is_finite(gradient->exact)) {
      out.rough.push_back({name, "autograd's gradient is not finite"});
    } else if (gradient->slope) {
      if (std::string why = slope_problem(*gradient->slope); !why.empty())
        out.rough.push_back({name, std::move(why)});
    }
  }
}

void look_at_nondiff(const GradientAnswer& exact, const GradientQuestion& question,
                     GradientReference& out) {
  for (const std::size_t place : question.gradients.nondiff) {
    const auto* const gradient = gradient_by(exact, question.problem.inputs[place].tensor.name);
    double largest = 0;
    if (gradient != nullptr) {
      for (const double value : gradient->exact.values)
        largest = std::max(largest, std::isfinite(value) ? std::fabs(value) : INFINITY);
    }
    out.nondiff.push_back(largest);
  }
}

// The terms that are summed up for one element of a gradient by an input: one for each index of the
// axes that the input does not have.
double summed_terms(const GradientQuestion& question, std::size_t place) {
  const auto& spec = question.definition.inputs.items[place].second;
  std::set<std::string> axes;
  for (const auto* tensors : {&question.definition.inputs, &question.definition.outputs}) {
    for (const auto& [name, tensor] : *tensors)
      if (tensor.shape) axes.insert(tensor.shape->begin(), tensor.shape->end());
  }
  if (spec.shape)
    for (const std::string& axis : *spec.shape) axes.erase(axis);
  double terms = 1;
  for (const std::string& axis : axes) {
    if (const std::int64_t* length = question.problem.axes.find(axis))
      terms *= static_cast<double>(std::max<std::int64_t>(*length, 1));
  }
  return terms;
}

bool is_product(const GradientQuestion& question) {
  return is_named_contraction(question.definition) ||
         (question.reference.exact && is_contraction(question.definition, question.problem,
                                                     question.inputs, *question.reference.exact));
}

using Axes = std::vector<std::string>;

Axes axes_of(const TensorSpec& spec) { return spec.shape.value_or(Axes{}); }

std::size_t shared(const Axes& a, const Axes& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

std::size_t parts_of(const std::vector<std::int64_t>& shape, std::size_t leading) {
  std::size_t parts = 1;
  for (std::size_t i = 0; i < leading; ++i) parts *= static_cast<std::size_t>(shape[i]);
  return parts;
}

// Adds the squares of each of as many equal parts.
void add_squares(const std::vector<double>& values, std::vector<double>& parts) {
  const std::size_t length = values.size() / parts.size();
  for (std::size_t i = 0; i < length * parts.size(); ++i)
    if (std::isfinite(values[i])) parts[i / length] += values[i] * values[i];
}

// Returns the sizes that may cancel in the gradient by input number `place`: ‖dy·y‖ over all
// floating outputs, relative to the input's root mean square. Both are taken where the leading
// indices are the same, as far as the input shares its leading axes with every floating output by
// name; one number for each of as many equal parts of the gradient. A gradient that is zero in
// exact arithmetic, that of attention over one key by its query, is a difference of numbers of this
// size in any other.
std::vector<double> cancelling_sizes(const GradientQuestion& question, const Cotangent& cotangent,
                                     std::size_t place) {
  const GradientProblem& gradients = question.gradients;
  const Axes axes = axes_of(question.definition.inputs.items[place].second);
  std::size_t leading = axes.size();
  for (const std::size_t output : gradients.outputs)
    leading =
        std::min(leading, shared(axes, axes_of(question.definition.outputs.items[output].second)));
  const TensorView& input = question.inputs.values[place].tensor;
  const std::size_t parts = parts_of(input.shape, leading);
  if (parts == 0) return {};
  std::vector<double> weighted(parts), own(parts);
  for (std::size_t i = 0; i < gradients.outputs.size(); ++i) {
    std::vector<double> values = decoded(question.reference.outputs[gradients.outputs[i]]);
    const std::vector<double> weights = decoded(cotangent.tensors[i].tensor);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= weights[k];
    add_squares(values, weighted);
  }
  const std::vector<double> numbers = decoded(input);
  add_squares(numbers, own);
  double all = 0;
  for (const double squares : own) all += squares;
  const double length = static_cast<double>(numbers.size()) / static_cast<double>(parts);
  std::vector<double> sizes(parts);
  for (std::size_t k = 0; k < parts; ++k) {
    const double squares = own[k] > 0 ? own[k] : all / static_cast<double>(parts);
    if (squares > 0) sizes[k] = std::sqrt(weighted[k] / (squares / length));
  }
  return sizes;
}

// Throws as ReferenceEvaluator does.
GradientReference ask_gradient(ReferenceEvaluator& evaluator, const GradientQuestion& question,
                               const Cotangent& cotangent) {
  GradientReference out;
  const auto ask = [&](Arithmetic arithmetic) {
    return evaluator.gradient(question.definition, question.problem, question.inputs,
                              cotangent.tensors,
                              {arithmetic, {.wanted = arithmetic == Arithmetic::exact}});
  };
  GradientAnswer native = ask(Arithmetic::native);
  GradientAnswer exact;
  if (native.outcome == ReferenceOutcome::ok) exact = ask(Arithmetic::exact);
  for (const GradientAnswer* answer : {&native, &exact}) {
    if (answer->outcome == ReferenceOutcome::ok) continue;
    out.answer.outcome = answer->outcome;
    out.problem = answer->message;
    return out;
  }
  look_at_slopes(exact, question, out);
  look_at_nondiff(exact, question, out);
  keep(std::move(native), std::move(exact), question, out);
  return out;
}

class Preparer {
 public:
  Preparer(ReferenceEvaluator& evaluator, const GradientEffort& effort, PreparedGradient& out)
      : evaluator_(evaluator), effort_(effort), out_(out) {}

  void add_all() {
    const auto& trials = out_.workload->trials;
    const GradientProblem& problem = out_.problem;
    std::vector<Cotangent> cotangents;
    if (effort_.quick)
      cotangents.push_back(random_cotangent(problem, effort_.seed, 0));
    else
      cotangents = cotangents_for(problem, effort_.seed);
    add_random(trials.front(), "random", std::move(cotangents));
    if (effort_.quick || !out_.failure.empty() || !out_.rough.empty()) return;
    if (trials.size() > 1) add_random(trials[1], "random 1", one(2));
    for (const Trial& trial : out_.workload->structured)
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
    for (std::size_t i = 0; i < added.cotangents.size(); ++i) {
      added.gradients.push_back(
          ask_gradient(evaluator_, question_of(out_, *added.trial), added.cotangents[i]));
      GradientReference& reference = added.gradients.back();
      why = reference.problem;
      if (!why.empty()) return false;
      reference.standards = gradient_standards(out_, added, i);
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
                                                rough.front().name, rough.front().why)});
  }

  void add_zeros() {
    const Trial& first = out_.workload->trials.front();
    auto trial = std::make_unique<Trial>();
    trial->inputs = with_zeros(first.inputs);
    const Problem& problem = out_.workload->problem;
    trial->reference =
        evaluator_.evaluate(*out_.definition, problem, trial->inputs, {}, {.wanted = true});
    if (trial->reference.outcome != ReferenceOutcome::ok)
      return out_.dropped.push_back({"zeros", trial->reference.message});
    ErrorTolerances made =
        error_tolerances_of(*out_.definition, problem, trial->inputs, trial->reference);
    trial->standards = std::move(made.outputs);
    add_other(*trial, "zeros", 4);
    out_.own.push_back(std::move(trial));
  }

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
    Preparer(evaluator, effort, out).add_all();
  }
  return out;
}

std::string reference_problem(const PreparedGradient& prepared) {
  if (!prepared.failure.empty())
    return fmt::format("REFERENCE_NOT_DIFFERENTIABLE: {}", prepared.failure);
  if (prepared.rough.empty()) return "";
  return fmt::format("REFERENCE_NOT_DIFFERENTIABLE by \"{}\": {}", prepared.rough.front().name,
                     prepared.rough.front().why);
}

// The gradients of a plain product are plain products with the cotangent.
std::vector<Standard> gradient_standards(const PreparedGradient& prepared, const GradientCase& one,
                                         std::size_t cotangent) {
  const GradientQuestion question = question_of(prepared, *one.trial);
  const ReferenceAnswer& answer = one.gradients[cotangent].answer;
  const InputSet set = one.trial->set;
  KProblem k = observed_problem(question.definition, question.problem, question.reference);
  k.shares_an_error |= answer.exact->shares_an_error;
  k.only_sums = is_product(question);
  k.is_random = set == InputSet::random;
  const double forward_terms = std::max(k.terms, answer.exact->longest_sum);
  std::vector<Standard> standards;
  for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
    k.terms = std::max(forward_terms, summed_terms(question, question.gradients.inputs[i]));
    if (set != InputSet::random) k.terms *= k.terms;  // errors of equal terms add up
    bool is_native = false;
    ErrorTolerance by = error_tolerance_of(k, answer.outputs[i], answer, i, is_native);
    if (!k.only_sums)  // a sum of products has no other formula
      by.raise_floor(
          cancelling_sizes(question, one.cotangents[cotangent], question.gradients.inputs[i]));
    standards.emplace_back(std::move(by));
  }
  return standards;
}

}  // namespace kbench
