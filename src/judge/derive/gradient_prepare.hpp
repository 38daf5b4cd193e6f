// A workload made ready for gradients: sets of inputs, cotangents, and autograd's answers. All
// solutions are judged on the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "judge/derive/gradient_problem.hpp"
#include "judge/prepare.hpp"
#include "problem/data/structure.hpp"
#include "reference/evaluator.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

struct NotAsked {
  std::string name;
  std::string why;
};

// A native gradient and a double one of the reference's autograd, whose condition estimate is of
// runs with inputs and cotangents perturbed.
struct GradientReference {
  ReferenceAnswer answer;           // native: a gradient for each of GradientProblem::inputs
  std::vector<Standard> standards;  // one for each of them, by the double answer
  std::vector<NotAsked> rough;      // inputs: the gradient by them is not what the outputs do
  std::vector<double> nondiff;      // largest magnitude of each of GradientProblem::nondiff
  std::string problem;              // reason why there is none, or ""
};

// One set of inputs.
struct GradientCase {
  std::string set;  // "random", "random 1", "exact", "zeros"
  const Trial* trial = nullptr;
  std::vector<Cotangent> cotangents;
  std::vector<GradientReference> gradients;  // one a cotangent
};

struct PreparedGradient {
  const Definition* definition = nullptr;
  const PreparedWorkload* workload = nullptr;
  GradientProblem problem;
  std::vector<GradientCase> cases;          // the first is of random inputs and has every cotangent
  std::vector<NotAsked> dropped;            // sets of inputs
  std::vector<NotAsked> rough;              // those on random inputs: nobody can be judged by that
  std::string failure;                      // reason why the reference has no gradient, or ""
  std::vector<std::unique_ptr<Trial>> own;  // those that are no trials of the workload's
};

struct GradientEffort {
  std::uint64_t seed = 0;
  bool quick = false;  // one set of inputs and one cotangent: for who times many of one kind
};

// `definition` and `workload` must live as long as the result; `spec` fits the Definition. Throws
// as ReferenceEvaluator does.
PreparedGradient prepare_gradient(const Definition& definition, const PreparedWorkload& workload,
                                  const GradientSpec& spec, ReferenceEvaluator& evaluator,
                                  const GradientEffort& effort);

// Standards of each gradient by a cotangent of `one`: by the answer, which must live as long as the
// result.
std::vector<Standard> gradient_standards(const PreparedGradient& prepared, const GradientCase& one,
                                         std::size_t cotangent);

// Returns what to say of a reference without a gradient to judge candidates by; else "".
std::string reference_problem(const PreparedGradient& prepared);

}  // namespace kbench
