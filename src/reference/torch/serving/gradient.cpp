#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/serving/exact_answer.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/outputs.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

using torch::autograd::variable_list;

constexpr std::uint64_t cotangent_runs = std::uint64_t{1} << 40;  // numbers no run of inputs has
constexpr std::int64_t direction_seed = 20'241'124;
constexpr double step = 1e-6;        // step of a difference, relative to the input's size
constexpr double backward_work = 3;  // work of a forward and a backward pass / a forward one's

// Leaves to differentiate by, and the arguments made of them: copies, since a reference may write
// to its arguments and nobody may write to a leaf of autograd's graph.
struct Leaves {
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // indices of the arguments
  variable_list tensors;
  std::vector<c10::IValue> arguments;
};

// Forward pass, and the way back from it.
struct Pass {
  Leaves leaves;
  variable_list outputs, weights;  // those that depend on a leaf, with their cotangents
};

// Fills in zeros where no output depends on a leaf; `unused` gets the names of these.
variable_list whole(variable_list gradients, const Leaves& leaves,
                    std::vector<std::string>* unused = nullptr) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) continue;
    gradients[i] = at::zeros_like(leaves.tensors[i]);
    if (unused != nullptr) unused->push_back(leaves.names[i]);
  }
  return gradients;
}

double finest_roundoff(const ReferenceRequest& request) {
  double finest = std::numeric_limits<double>::infinity();
  for (const auto* arguments : {&request.inputs, &request.cotangents}) {
    for (const ReferenceArgument& argument : *arguments)
      if (is_widened(argument)) finest = std::min(finest, unit_roundoff(argument.dtype));
  }
  return finest;
}

class GradientRun {
 public:
  GradientRun(const ReferenceRequest& request, const PrivateInputs& inputs)
      : request_(request), inputs_(inputs), is_exact_(request.arithmetic == Arithmetic::exact) {
    std::optional<ExactArithmetic> exact;
    if (is_exact_) exact.emplace();
    function_ = load_reference(request, {.arithmetic = request.arithmetic, .differentiable = true});
  }

  Pass forward(const ExactInputs& how) {
    inputs_.restore(inputs_.modified());
    at::manual_seed(0);
    Pass pass;
    pass.leaves = make_leaves(how);
    const std::vector<at::Tensor> outputs = call(pass.leaves.arguments, true);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto weight = weight_of(i, outputs[i], how);
      if (!weight || !outputs[i].requires_grad()) continue;
      pass.outputs.push_back(outputs[i]);
      pass.weights.push_back(*weight);
    }
    return pass;
  }

  // Returns undefined tensors for leaves that no output depends on.
  variable_list backward(const Pass& pass) {
    variable_list gradients(pass.leaves.tensors.size());
    if (pass.outputs.empty()) return gradients;
    function_->run_outside([&] {
      gradients = torch::autograd::grad(pass.outputs, pass.leaves.tensors, pass.weights, false,
                                        false, true);
    });
    return gradients;
  }

  // Returns the slope of the gradient by leaf `which` of an unperturbed pass.
  Slope slope(const Pass& pass, const at::Tensor& gradient, std::size_t which) {
    const at::NoGradGuard no_grad;
    const at::Tensor leaf = pass.leaves.tensors[which].detach();
    const at::Tensor direction = direction_of(leaf, which);
    const at::Tensor parts = gradient * direction;
    Slope slope;
    slope.by_gradient = parts.sum().item<double>();
    slope.size = parts.norm().item<double>();
    const auto above = moved(pass.leaves, which, leaf + step * direction);
    const auto below = moved(pass.leaves, which, leaf - step * direction);
    for (std::size_t i = 0; i < above.size(); ++i) {
      const auto weight = weight_of(i, above[i], {});
      if (!weight) continue;
      slope.by_difference += (*weight * (above[i] - below[i])).sum().item<double>() / (2 * step);
      slope.noise = std::hypot(slope.noise, (*weight * above[i]).norm().item<double>() *
                                                std::numeric_limits<double>::epsilon() / step);
    }
    return slope;
  }

  // Examines an unperturbed pass and its gradients: puts condition estimates into `answer` and
  // slopes into the reply.
  void examine(const Pass& pass, const variable_list& gradients, ExactAnswerMemory& answer,
               ReferenceReply& reply) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      reply.slopes.push_back(slope(pass, gradients[i], i));
    const double roundoff = finest_roundoff(request_);
    if (!std::isfinite(roundoff)) return;
    const ExactEffort& effort = request_.exact;
    reply.perturbed_runs = runs_within(effort.budget_seconds, backward_work * work_.seconds(),
                                       {effort.least_runs, effort.most_runs});
    ExactInputs how;
    how.perturbation = roundoff;
    for (int i = 1; i <= reply.perturbed_runs; ++i) {
      how.run = static_cast<std::uint64_t>(i);
      const Pass moved = forward(how);
      answer.add(whole(backward(moved), moved.leaves), {});
    }
    answer.finish(reply.perturbed_runs, roundoff);
  }

  const RoundingWork& work() const { return work_; }  // the first pass's

 private:
  Leaves make_leaves(const ExactInputs& how) const {
    Leaves leaves;
    leaves.arguments = is_exact_ ? exact_arguments(request_.inputs, inputs_, how)
                                 : native_arguments(request_.inputs, inputs_);
    for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
      if (!is_widened(request_.inputs[i])) continue;
      at::Tensor leaf = leaves.arguments[i].toTensor().detach().requires_grad_(true);
      leaves.arguments[i] = leaf.clone();
      leaves.names.push_back(request_.inputs[i].name);
      leaves.places.push_back(i);
      leaves.tensors.push_back(std::move(leaf));
    }
    return leaves;
  }

  std::vector<at::Tensor> call(const std::vector<c10::IValue>& arguments, bool with_gradients) {
    std::optional<ExactArithmetic> exact;
    if (is_exact_) exact.emplace();
    if (exact && !is_measured_) exact->show(work_, picks_);
    const at::AutoGradMode mode(with_gradients);
    auto outputs = output_tensors(function_->call(arguments), request_);
    is_measured_ = true;
    return outputs;
  }

  // Returns nothing for an output without one.
  std::optional<at::Tensor> weight_of(std::size_t output, const at::Tensor& tensor,
                                      ExactInputs how) const {
    const auto found =
        std::find_if(request_.cotangents.begin(), request_.cotangents.end(),
                     [&](const auto& one) { return one.name == request_.outputs[output].name; });
    if (found == request_.cotangents.end()) return std::nullopt;
    how.run += cotangent_runs * (output + 1);
    const at::Tensor weight = is_exact_ ? exact_arguments({*found}, inputs_, how).front().toTensor()
                                        : native_argument(*found, inputs_).toTensor();
    if (weight.sizes() != tensor.sizes())
      throw RaisedError("the cotangent of \"" + found->name + "\" has another shape", 0);
    return weight.to(tensor.scalar_type());
  }

  static at::Tensor direction_of(const at::Tensor& leaf, std::size_t which) {
    if (leaf.numel() == 0) return leaf;
    const auto generator = at::detail::createCPUGenerator(
        static_cast<std::uint64_t>(direction_seed + static_cast<std::int64_t>(which)));
    const double size = leaf.square().mean().sqrt().item<double>();
    const at::Tensor direction = at::empty_like(leaf).normal_(0, 1, generator);
    return direction * (std::isfinite(size) && size > 0 ? size : 1.0);
  }

  std::vector<at::Tensor> moved(const Leaves& leaves, std::size_t which, const at::Tensor& value) {
    inputs_.restore(inputs_.modified());
    at::manual_seed(0);
    std::vector<c10::IValue> arguments = leaves.arguments;
    for (std::size_t i = 0; i < leaves.places.size(); ++i)
      arguments[leaves.places[i]] = i == which ? value : leaves.tensors[i].detach().clone();
    return call(arguments, false);
  }

  const ReferenceRequest& request_;
  const PrivateInputs& inputs_;
  bool is_exact_;
  std::unique_ptr<ReferenceFunction> function_;
  RoundingWork work_;
  PickUse picks_;
  bool is_measured_ = false;
};

}  // namespace

ExecuteResult run_gradient(const ReferenceRequest& request, const PrivateInputs& inputs) {
  GradientRun run(request, inputs);
  const Pass pass = run.forward({});
  ExecuteResult result;
  std::vector<std::string> unused;
  const variable_list gradients = whole(run.backward(pass), pass.leaves, &unused);
  if (request.arithmetic == Arithmetic::exact) {
    ExactAnswerMemory answer(gradients, {}, {});
    if (request.exact.wanted) run.examine(pass, gradients, answer, result.reply);
    answer.move_to(result);
    result.reply.longest_sum = run.work().longest_sum();
    result.reply.shares_an_error = run.work().shares_an_error();
  } else {
    result = copy_native(gradients, pass.leaves.names, request.bytes);
  }
  result.reply.gradients_of = pass.leaves.names;
  result.reply.unused = std::move(unused);
  return result;
}

}  // namespace kbench
