// What the gradients of a candidate are held against: autograd through the reference.
#pragma once

#include <string>
#include <vector>

#include "judge/derive/cotangents.hpp"
#include "judge/derive/gradient_problem.hpp"
#include "judge/prepare.hpp"
#include "problem/data/structure.hpp"
#include "reference/evaluator.hpp"
#include "verdict/standard.hpp"

namespace kbench {

// Where the reference's gradient by an input is not what its outputs do.
struct NotDifferentiable {
  std::string input;
  std::string why;
};

struct GradientReference {
  ReferenceAnswer answer;           // native: a gradient for each of GradientProblem::inputs
  std::vector<Standard> standards;  // for each of them, by the double answer
  std::vector<NotDifferentiable> rough;
  std::vector<double> nondiff;  // largest magnitude of each of GradientProblem::nondiff
  std::string problem;          // not "": there is none, and why
};

struct GradientQuestion {
  const Definition& definition;
  const Problem& problem;  // the Definition's
  const GradientProblem& gradients;
  const Inputs& inputs;
  const ReferenceAnswer& reference;  // to these inputs
};

// What each gradient of `answer` is judged by; it must live as long as the result.
std::vector<Standard> gradient_standards(const GradientQuestion& question,
                                         const Cotangent& cotangent, const ReferenceAnswer& answer,
                                         InputSet set);

// A native gradient and a double one, whose condition estimate is of runs with inputs and
// cotangents perturbed. Throws as ReferenceEvaluator does.
GradientReference ask_gradient(ReferenceEvaluator& evaluator, const GradientQuestion& question,
                               const Cotangent& cotangent, InputSet set = InputSet::random);

}  // namespace kbench
