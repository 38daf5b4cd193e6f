#include "judge/derive/gradient_problem.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace kbench {
namespace {

bool is_differentiable(const TensorPlan& tensor) {
  return !tensor.is_scalar && info(tensor.dtype).kind == DTypeKind::floating &&
         tensor.dtype != DType::float4_e2m1;
}

bool is_declared(const GradientSpec& spec, const std::string& input) {
  return std::any_of(spec.nondiff.begin(), spec.nondiff.end(),
                     [&](const Nondiff& one) { return one.input == input; });
}

TensorPlan residual_plan(const ResidualSpec& residual, const Problem& problem) {
  TensorPlan plan{residual.name, residual.dtype, false, {}};
  for (const std::string& length : residual.shape)
    plan.shape.push_back(residual_length(residual, length, problem.axes));
  return plan;
}

// Names tensors of one call: no two alike.
class TensorNames {
 public:
  TensorPlan named(TensorPlan tensor) {
    while (!used_.insert(tensor.name).second) tensor.name += '_';
    return tensor;
  }
  TensorPlan derivative(TensorPlan tensor) {
    tensor.name = "d_" + tensor.name;
    return named(std::move(tensor));
  }

 private:
  std::set<std::string> used_;
};

Problem empty_of(const Problem& problem) {
  Problem out;
  out.definition = problem.definition;
  out.op_type = problem.op_type;
  out.workload = problem.workload;
  out.axes = problem.axes;
  return out;
}

}  // namespace

GradientProblem gradient_problem(const Problem& problem, const GradientSpec& spec) {
  GradientProblem out;
  out.residuals = spec.residuals.size();
  out.forward = problem;
  out.backward = empty_of(problem);
  TensorNames names;
  const auto add = [&](const TensorPlan& tensor) {
    out.backward.inputs.push_back({names.named(tensor), RandomInput{}});
  };
  for (const ResidualSpec& residual : spec.residuals) {
    out.forward.outputs.push_back(residual_plan(residual, problem));
    add(out.forward.outputs.back());
  }
  for (const InputPlan& input : problem.inputs) add(input.tensor);
  for (const TensorPlan& output : problem.outputs) add(output);
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    if (!is_differentiable(problem.outputs[i])) continue;
    out.outputs.push_back(i);
    out.backward.inputs.push_back({names.derivative(problem.outputs[i]), RandomInput{}});
  }
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const TensorPlan& input = problem.inputs[i].tensor;
    if (!is_differentiable(input)) continue;
    const bool is_nondiff = is_declared(spec, input.name);
    (is_nondiff ? out.nondiff : out.inputs).push_back(i);
    if (!is_nondiff) out.backward.outputs.push_back(names.derivative(input));
  }
  return out;
}

}  // namespace kbench
