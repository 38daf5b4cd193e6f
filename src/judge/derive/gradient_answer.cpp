#include "judge/derive/gradient_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "judge/contraction.hpp"
#include "judge/derive/cancellation.hpp"
#include "judge/output_standards.hpp"

namespace kbench {
namespace {

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

}  // namespace

// The gradients of a plain product are plain products with the cotangent.
std::vector<Standard> gradient_standards(const GradientQuestion& question,
                                         const Cotangent& cotangent, const ReferenceAnswer& answer,
                                         InputSet set) {
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
      by.raise_floor(cancelling_sizes(question, cotangent, question.gradients.inputs[i]));
    standards.emplace_back(std::move(by));
  }
  return standards;
}

GradientReference ask_gradient(ReferenceEvaluator& evaluator, const GradientQuestion& question,
                               const Cotangent& cotangent, InputSet set) {
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
  if (out.problem.empty()) out.standards = gradient_standards(question, cotangent, out.answer, set);
  return out;
}

}  // namespace kbench
