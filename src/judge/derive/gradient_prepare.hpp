// A workload made ready for gradients: sets of inputs, cotangents, and autograd's answers. All
// solutions are judged on the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "judge/derive/gradient_answer.hpp"
#include "judge/prepare.hpp"

namespace kbench {

// One set of inputs.
struct GradientCase {
  std::string set;  // "random", "random 1", "exact", "zeros"
  const Trial* trial = nullptr;
  std::vector<Cotangent> cotangents;
  std::vector<GradientReference> gradients;  // for each cotangent
};

struct DroppedCase {
  std::string set;
  std::string why;
};

struct PreparedGradient {
  const Definition* definition = nullptr;
  const PreparedWorkload* workload = nullptr;
  GradientProblem problem;
  std::vector<GradientCase> cases;  // the first is of random inputs and has every cotangent
  std::vector<DroppedCase> dropped;
  std::vector<NotDifferentiable> rough;     // on random inputs: nobody can be judged by that
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

// The reference has a gradient that candidates can be judged by; else what to say of it.
std::string reference_problem(const PreparedGradient& prepared);

}  // namespace kbench
