// The functions of a Solution that its gradients are made of, and how their processes are started.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "exec/candidate_process.hpp"
#include "judge/derive/gradient_problem.hpp"
#include "judge/evaluate.hpp"
#include "kernels/registry/methods.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// fwd_with_residuals and vjp, of one level.
struct GradientFunctions {
  FoundMethod forward, backward;
};

struct PreparedGradient;

// A Solution with gradients, built, on a workload that is ready.
struct GradientSubject {
  const PreparedGradient& prepared;
  const Solution& solution;
  const BuildResult& build;
  GradientFunctions functions;
};

// Whether it has one of the two at least.
bool has_gradient_function(const Solution& solution, const Methods& declared);

// Nothing where the Solution has no such pair, which is reported.
std::optional<GradientFunctions> gradient_functions(const Stored<Solution>& solution,
                                                    const Methods& declared, Diagnostics& reports);

// The build, entered at another of its functions.
BuildResult entered_at(const BuildResult& build, const std::string& function);

// One function of a candidate, in a process of its own, called again and again: on inputs it can
// only read, with outputs that were poisoned before.
class FunctionProcess {
 public:
  // `layout` has the places of all inputs that it will be called with.
  FunctionProcess(CandidatePlan plan, const Problem& problem, const Inputs& layout);

  // What went wrong: it crashed, hung, raised, wrote beside an output, or returned something of
  // another shape. Nothing more can be asked of it then.
  std::optional<CandidateFailure> call(const Inputs& inputs);
  bool is_over() const { return is_over_; }

  std::vector<TensorView> outputs() const { return process_->outputs(); }
  // Says what the last call did not write; "" where it wrote every output.
  std::string unwritten() const;
  int calls() const { return calls_; }
  std::string log() const { return process_->log(); }

 private:
  std::optional<CandidateFailure> fail(CandidateFailure failure);

  CandidatePlan plan_;
  SharedMemory stage_;
  PoisonedOutputs outputs_;
  std::unique_ptr<CandidateProcess> process_;
  bool is_loaded_ = false, is_over_ = false;
  int calls_ = 0;
};

}  // namespace kbench
