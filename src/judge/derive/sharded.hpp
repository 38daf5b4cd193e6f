// A solution as ranks: cut the inputs, run the ranks, put together what they left, judge that by
// the reference's answer to the whole problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "build/builder.hpp"
#include "judge/derive/combine.hpp"
#include "judge/derive/gradient_functions.hpp"
#include "judge/derive/ranks.hpp"
#include "judge/derive/shard.hpp"
#include "judge/evaluate.hpp"
#include "judge/prepare.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct ShardPlan {
  std::vector<ShardLine> outer;  // axes of a mesh before the last one
  ShardLayout layout;
  const Combine* combine = nullptr;
  const Transport* transport = nullptr;
  std::string function;          // each rank's: "run_sharded", or "run"
  std::string local_function;    // solves the whole problem; with one rank both agree
  std::string combine_function;  // function of the way `entry`
  bool timed = true;
  std::string name = {};  // name of a mesh's last axis

  std::vector<ShardLine> lines() const;
};

struct ShardResult {
  std::string has;                 // tensors of a rank: mesh_text()
  std::optional<RankTimes> times;  // present where the outputs passed
};

// Subject of a judgement.
struct ShardSubject {
  const PreparedWorkload& workload;
  const Solution& solution;
  const BuildResult& build;
  const EvaluateOptions& options;
};

// The record of the pair, with `trust` plain, and what it says of ranks in `result`. Solutions that
// run on a GPU have none.
Evaluation evaluate_sharded(const ShardSubject& subject, const ShardPlan& plan,
                            ShardResult& result);

// The process of one function. Ranks at once have their share of the threads each, and any core.
CandidatePlan plan_of_function(const CandidatePlan& whole, const std::string& function,
                               const ShardPlan& plan);

// `entry`: the solution's own function puts together what the ranks left. It is called with, for
// each output, all ranks' in one tensor [ranks, …], then with the outputs of the whole problem.
std::optional<CandidateFailure> combine_by_entry(CandidatePlan plan, const Problem& whole,
                                                 const Problem& local, const RankOutputs& ranks,
                                                 Combined& out);

// ---- sharded_gradient.cpp ----

// Gradients of a solution as ranks: each gets its part of the inputs and of dy, and gives dx of
// what it has. Gradients of inputs that are cut are joined, those of replicated ones added up; what
// comes out is judged by autograd through the reference on the whole problem.
struct ShardedGradient {
  const Definition& definition;
  GradientSpec spec;
  GradientFunctions functions;
};

// Returns why gradients of this way to shard are not known to be sums and parts: "" where they are.
// An output that is whole on every rank has to be a sum of what they have, else dy would count once
// for each rank.
std::string unfit_backward(const ShardPlan& plan, const Problem& whole);

// The record of the pair; the times are those of the backward function. Throws as
// ReferenceEvaluator does.
Evaluation evaluate_sharded_gradient(const ShardSubject& subject, const ShardPlan& plan,
                                     const ShardedGradient& gradient, ShardResult& result);

}  // namespace kbench
