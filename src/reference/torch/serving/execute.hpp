// Run of one request in this process. Meant for a fork that ends afterwards: the limits stay.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {

struct ExecuteResult {
  ReferenceReply reply;
  SharedMemory outputs;  // memory of reply.outputs
};

// Evaluates or compiles the request's reference. Nothing that the reference does is thrown.
ExecuteResult execute(const ReferenceRequest& request, Fd inputs);

// The evaluator cannot run the reference.
struct Unsupported {
  std::string message;
  int line = 0;
};

// Loads the reference. Throws Unsupported, RaisedError.
std::unique_ptr<ReferenceFunction> load_reference(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options);

// Runs the reference, for its answer in double precision and how sensitive each of its elements is,
// once in exact arithmetic, then on perturbed inputs (ExactEffort). The reply's
// `exact` has, for each floating output, r and the condition estimate M of criterion K
// (verdict/within_tolerance.hpp, after Parker's Monte Carlo arithmetic): with every floating input
// element times 1 + δ, δ uniform in (-u, u),
//   M = sqrt(mean over the runs of (r' - r)²) / (u/√3),
// which to first order is sqrt(Σ_j (x_j ∂r/∂x_j)²) whatever u is. u is the unit roundoff of the
// finest floating input: dividing by a coarser one would lose what the finer inputs contribute.
// Throws what loading and calling the reference throw.
ExecuteResult run_exact(const ReferenceRequest& request, const PrivateInputs& inputs);

// Returns the reference's vector-Jacobian product by autograd: for cotangents g of the floating
// outputs y: the gradient of Σ g·y by each floating tensor input, in the input's own dtype, or in
// exact arithmetic as float64. The reference's own bans (torch.no_grad) do not count. An input that
// no output depends on gets zeros and is named in `unused`. Exact arithmetic adds two things where
// ExactEffort asks for them. The condition estimate of each gradient, as run_exact() has it of
// outputs: inputs and cotangents are perturbed alike, each element of both by itself. A slope for
// each of the inputs: for a random direction v of about the input's own size, Σ gradient·v beside Σ
// g·(y(x + hv) − y(x − hv)) / 2h, h = 1e-6; where they differ the reference has no gradient there
// that autograd knows of. Throws what loading and calling the reference throw, and RaisedError
// where cotangents do not fit the outputs.
ExecuteResult run_gradient(const ReferenceRequest& request, const PrivateInputs& inputs);

// Touches all that every first call would otherwise pay for, without starting a thread: a fork of
// this process would not have it.
void warm_up();

// Returns "2.15.0".
std::string libtorch_version();
// Folder of its libraries, some of which are loaded late.
std::filesystem::path libtorch_folder();

}  // namespace kbench
