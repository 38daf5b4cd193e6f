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
  std::vector<Standard> standards;  // for each of them, by the double answer
  std::vector<NotAsked> rough;      // inputs: the gradient by them is not what the outputs do
  std::vector<double> nondiff;      // largest magnitude of each of GradientProblem::nondiff
  std::string problem;              // not "": there is none, and why
};

// One set of inputs.
struct GradientCase {
  std::string set;  // "random", "random 1", "exact", "zeros"
  const Trial* trial = nullptr;
  std::vector<Cotangent> cotangents;
  std::vector<GradientReference> gradients;  // for each cotangent
};

struct PreparedGradient {
  const Definition* definition = nullptr;
  const PreparedWorkload* workload = nullptr;
  GradientProblem problem;
  std::vector<GradientCase> cases;          // the first is of random inputs and has every cotangent
  std::vector<NotAsked> dropped;            // sets of inputs
  std::vector<NotAsked> rough;              // on random inputs: nobody can be judged by that
  std::string failure;                      // not "": the reference cannot be differentiated at all
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

// What each gradient by a cotangent of `one` is judged by: the answer, which must live as long as
// the result.
std::vector<Standard> gradient_standards(const PreparedGradient& prepared, const GradientCase& one,
                                         std::size_t cotangent);

// The reference has a gradient that candidates can be judged by; else what to say of it.
std::string reference_problem(const PreparedGradient& prepared);

}  // namespace kbench
