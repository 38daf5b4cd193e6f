// Gradients of a solution as ranks: each gets its part of the inputs and of dy, and gives dx of
// what it has. Gradients of inputs that are cut are joined, those of replicated ones added up; what
// comes out is judged by autograd through the reference on the whole problem.
#pragma once

#include <string>

#include "judge/derive/gradient_functions.hpp"
#include "judge/derive/sharded.hpp"
#include "kernels/registry/gradients.hpp"
#include "reference/evaluator.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct ShardedGradient {
  const Definition& definition;
  GradientSpec spec;
  GradientFunctions functions;
};

// Why gradients of this way to shard are not known to be sums and parts: "" where they are. An
// output that is whole on every rank has to be a sum of what they have, else dy would count once
// for each rank.
std::string unfit_backward(const ShardPlan& plan, const Problem& whole);

// The record of the pair; the times are those of the backward function. Throws as
// ReferenceEvaluator does.
Evaluation evaluate_sharded_gradient(const ShardSubject& subject, const ShardPlan& plan,
                                     const ShardedGradient& gradient, ReferenceEvaluator& evaluator,
                                     ShardResult& result);

}  // namespace kbench
