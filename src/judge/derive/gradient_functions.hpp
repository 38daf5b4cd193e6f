// The functions of a Solution that its gradients are made of, their processes, and the tensors that
// these leave, held against each other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "exec/candidate_process.hpp"
#include "judge/derive/gradient_problem.hpp"
#include "judge/derive/gradient_report.hpp"
#include "judge/evaluate.hpp"
#include "kernels/registry/sidecar.hpp"
#include "problem/tensor_view.hpp"
#include "schema/trace_set.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

// fwd_with_residuals and vjp, of one level.
struct GradientFunctions {
  FoundMethod forward, backward;
};

// Gradients as a Solution declares them.
struct DeclaredGradient {
  GradientSpec spec;
  GradientFunctions functions;
};

struct PreparedGradient;

// A Solution with gradients, built, on a workload that is ready.
struct GradientSubject {
  const PreparedGradient& prepared;
  const Solution& solution;
  const BuildResult& build;
  GradientFunctions functions;
};

// Tells whether it has one of the two at least.
bool has_gradient_function(const Solution& solution, const Methods& declared);

// Nothing where the Solution has no such pair, or none that fits or that kbench can judge, which is
// reported. CUDA is judged by emulation alone.
std::optional<DeclaredGradient> declared_gradient(const Stored<Solution>& solution,
                                                  const Sidecar& sidecar,
                                                  const Definition& definition,
                                                  Diagnostics& reports, bool is_emulated = false);

// The build, entered at another of its functions.
BuildResult entered_at(const BuildResult& build, const std::string& function);

// One function of a candidate, in a process of its own, called again and again: on inputs it can
// only read, with outputs that were poisoned before.
class FunctionProcess {
 public:
  // `layout` has the places of all inputs that it will be called with.
  FunctionProcess(CandidatePlan plan, const Problem& problem, const Inputs& layout);

  // Returns what went wrong: it crashed, hung, raised, wrote beside an output, or returned
  // something of another shape. Nothing more can be asked of it then.
  std::optional<CandidateFailure> call(const Inputs& inputs);

  std::vector<TensorView> outputs() const { return process_->outputs(); }
  // Says what the last call did not write; "" where it wrote every output.
  std::string unwritten() const;
  int calls() const { return calls_; }

 private:
  std::optional<CandidateFailure> fail(CandidateFailure failure);

  CandidatePlan plan_;
  SharedMemory stage_;
  PoisonedOutputs outputs_;
  std::unique_ptr<CandidateProcess> process_;
  bool is_loaded_ = false, is_over_ = false;
  int calls_ = 0;
};

// A tensor's own copy: what a process left is gone with its next call.
struct KeptTensor {
  TensorView view;  // view of `bytes`
  std::vector<std::byte> bytes;
};
std::vector<KeptTensor> kept(const std::vector<TensorView>& views);
std::vector<TensorView> views_of(const std::vector<KeptTensor>& tensors);

// Elements whose bits differ; tensors are of one shape and dtype.
std::size_t differing_elements(const TensorView& a, const TensorView& b);

// Tensors of several calls beside those of the first.
struct RepeatedTensors {
  std::vector<KeptTensor> first;
  std::size_t others = 0, all = 0;  // elements with other bits, of one call at most

  // False where some of its bits are others.
  bool add(const std::vector<TensorView>& tensors);
};

// One tensor by the rule `kbench`: status, detail and, of a floating one, its worst element.
GradientRow judged_row(std::string check, const std::string& name, const TensorView& tensor,
                       const TensorView& reference, const Standard& standard);

// The element of `value` that is furthest from `expected`, in parts of its bound. A NaN is further
// than any number, and so is what is off where the bound is 0.
WorstElement furthest_off(std::span<const double> value, std::span<const double> expected,
                          std::span<const double> bound, const std::vector<std::int64_t>& shape);

}  // namespace kbench
