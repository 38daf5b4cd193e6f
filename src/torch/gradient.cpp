#include "torch/gradient.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>
#include <utility>

#include "torch/arguments.hpp"
#include "torch/exact_answer.hpp"
#include "torch/exact_arithmetic.hpp"
#include "torch/load.hpp"
#include "torch/outputs.hpp"
#include "torch/scalar_type.hpp"

namespace kbench {
namespace {

using torch::autograd::variable_list;

// The inputs to differentiate by, and the arguments made of them: copies, since a reference may
// write to its arguments and nobody may write to a leaf of autograd's graph.
struct Leaves {
  std::vector<std::string> names;
  variable_list tensors;
  std::vector<c10::IValue> arguments;
};

Leaves make_leaves(const ReferenceRequest& request, const PrivateInputs& inputs) {
  const bool is_exact = request.arithmetic == Arithmetic::exact;
  Leaves leaves;
  leaves.arguments = is_exact ? exact_arguments(request.inputs, inputs, {})
                              : native_arguments(request.inputs, inputs);
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    if (!is_widened(request.inputs[i], {})) continue;
    at::Tensor leaf = leaves.arguments[i].toTensor().detach().requires_grad_(true);
    leaves.arguments[i] = leaf.clone();
    leaves.names.push_back(request.inputs[i].name);
    leaves.tensors.push_back(std::move(leaf));
  }
  return leaves;
}

const ReferenceArgument* cotangent_of(const ReferenceRequest& request, std::size_t output) {
  for (const ReferenceArgument& cotangent : request.cotangents) {
    if (cotangent.name == request.outputs[output].name) return &cotangent;
  }
  return nullptr;
}

// Outputs that depend on a leaf, and their cotangents.
std::pair<variable_list, variable_list> weighted_outputs(const ReferenceRequest& request,
                                                         const PrivateInputs& inputs,
                                                         const std::vector<at::Tensor>& tensors) {
  variable_list outputs, weights;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ReferenceArgument* cotangent = cotangent_of(request, i);
    if (cotangent == nullptr || !tensors[i].requires_grad()) continue;
    const at::Tensor weight = native_argument(*cotangent, inputs).toTensor();
    if (weight.sizes() != tensors[i].sizes()) {
      throw RaisedError("the cotangent of \"" + cotangent->name + "\" has another shape", 0);
    }
    outputs.push_back(tensors[i]);
    weights.push_back(weight.to(tensors[i].scalar_type()));
  }
  return {outputs, weights};
}

std::vector<at::Tensor> call(ReferenceFunction& function, const ReferenceRequest& request,
                             const Leaves& leaves) {
  const at::AutoGradMode with_gradients(true);
  return output_tensors(function.call(leaves.arguments), request);
}

}  // namespace

ExecuteResult run_gradient(const ReferenceRequest& request, const PrivateInputs& inputs) {
  std::optional<ExactArithmetic> exact;
  if (request.arithmetic == Arithmetic::exact) exact.emplace();
  const auto function =
      load_reference(request, {.arithmetic = request.arithmetic, .differentiable = true});
  at::manual_seed(0);
  const Leaves leaves = make_leaves(request, inputs);
  const auto [outputs, weights] =
      weighted_outputs(request, inputs, call(*function, request, leaves));
  exact.reset();
  variable_list gradients(leaves.tensors.size());
  if (!outputs.empty()) {
    function->run_outside([&, &outputs = outputs, &weights = weights] {
      gradients = torch::autograd::grad(outputs, leaves.tensors, weights, false, false, true);
    });
  }
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) continue;
    gradients[i] = at::zeros_like(leaves.tensors[i]);
    unused.push_back(leaves.names[i]);
  }
  ExecuteResult result;
  if (request.arithmetic == Arithmetic::exact) {
    ExactAnswerMemory(gradients, {}, {}).move_to(result);
  } else {
    result = copy_native(gradients, leaves.names, request.bytes);
  }
  result.reply.gradients_of = leaves.names;
  result.reply.unused = std::move(unused);
  return result;
}

}  // namespace kbench
