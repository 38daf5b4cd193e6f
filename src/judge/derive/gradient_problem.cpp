#include "judge/derive/gradient_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "problem/data/random.hpp"
#include "problem/element.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

bool is_differentiable(const TensorPlan& tensor) {
  return !tensor.is_scalar && is_float_of_torch(tensor.dtype);
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

constexpr std::uint32_t first_tensor = 0xC0'7A'00'00;  // number of streams: no input has such

const TensorPlan& plan_of(const GradientProblem& problem, std::size_t output) {
  return problem.forward.outputs[problem.outputs[output]];
}

Cotangent with_values(const GradientProblem& problem, std::string label,
                      const std::vector<std::vector<double>>& values) {
  Cotangent out{std::move(label), {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TensorPlan& plan = plan_of(problem, i);
    auto& bytes = out.bytes.emplace_back(storage_bytes(plan.dtype, values[i].size()));
    encode(plan.dtype, values[i], bytes.data(), 0);
    out.tensors.push_back({plan.name, {plan.dtype, plan.shape, bytes.data(), bytes.size()}});
  }
  return out;
}

std::vector<std::vector<double>> zeros(const GradientProblem& problem) {
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i)
    values.emplace_back(element_count(plan_of(problem, i).shape));
  return values;
}

// Returns the cotangent with other numbers: `change` of element and number, in each tensor.
template <class Change>
Cotangent changed(const Cotangent& from, const std::string& label, const Change& change) {
  Cotangent out{label, from.bytes, from.tensors};
  for (std::size_t i = 0; i < out.bytes.size(); ++i) {
    std::vector<double> values = decoded(from.tensors[i].tensor);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = change(k, values[k]);
    TensorView& view = out.tensors[i].tensor;
    encode(view.dtype, values, out.bytes[i].data(), 0);
    view.data = out.bytes[i].data();
  }
  return out;
}

bool is_part(std::size_t element) { return (element * 0x9E37'79B9U >> 7 & 1) == 0; }

std::size_t random_element(std::uint64_t seed, std::size_t output, std::size_t count) {
  const auto tensor = static_cast<std::uint32_t>(output);
  const PhiloxBlock words =
      philox({tensor, first_tensor, 0, 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return words[0] % count;
}

std::size_t pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

BoundInput described(const TensorPlan& plan, const TensorView& tensor) {
  return {plan.name, std::nullopt, tensor, 0, ""};
}

// Lays the tensors out, copies them, and lets the views point there.
Inputs placed(std::vector<BoundInput> values) {
  Inputs out;
  std::size_t total = 0;
  for (BoundInput& value : values) {
    if (value.scalar) continue;
    value.offset = total;
    total += pages(value.tensor.bytes);
  }
  out.memory = SharedMemory("kbench inputs", total);
  for (BoundInput& value : values) {
    if (value.scalar) continue;
    std::byte* const to = out.memory.data() + value.offset;
    if (value.tensor.bytes > 0) std::memcpy(to, value.tensor.data, value.tensor.bytes);
    value.tensor.data = to;
  }
  out.memory.seal_for_others();
  out.values = std::move(values);
  return out;
}

void put_zeros(const BoundInput& value, std::byte* data) {
  std::vector<double> numbers = decoded(value.tensor);
  const auto& shape = value.tensor.shape;
  const std::size_t first =
      shape.empty() || shape[0] <= 1 ? 0 : numbers.size() / static_cast<std::size_t>(shape[0]);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i < first || (i * 0x9E37'79B9U >> 5 & 7) == 0) numbers[i] = 0;
  encode(value.tensor.dtype, numbers, data, 0);
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

Cotangent random_cotangent(const GradientProblem& problem, std::uint64_t seed, std::uint32_t draw,
                           std::ptrdiff_t only) {
  auto values = zeros(problem);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (only >= 0 && static_cast<std::size_t>(only) != i) continue;
    std::vector<float> normals(values[i].size());
    standard_normals({seed, first_tensor + static_cast<std::uint32_t>(i), draw}, 0, normals);
    values[i].assign(normals.begin(), normals.end());
  }
  const std::string label =
      only < 0 ? "random" : "random " + plan_of(problem, static_cast<std::size_t>(only)).name;
  return with_values(problem, label, values);
}

Cotangent one_hot_cotangent(const GradientProblem& problem, std::size_t output,
                            std::size_t element) {
  auto values = zeros(problem);
  values[output][element] = 1;
  const TensorPlan& plan = plan_of(problem, output);
  return with_values(
      problem, fmt::format("one-hot {}{}", plan.name, place_text(element, plan.shape)), values);
}

Cotangent zero_cotangent(const GradientProblem& problem) {
  return with_values(problem, "zero", zeros(problem));
}

Cotangent scaled(const Cotangent& cotangent, int power) {
  return changed(cotangent, fmt::format("{} times 2^{}", cotangent.label, power),
                 [power](std::size_t, double value) { return std::ldexp(value, power); });
}

Summands summands(const Cotangent& cotangent) {
  return {changed(cotangent, "a part of " + cotangent.label,
                  [](std::size_t k, double value) { return is_part(k) ? value : 0; }),
          changed(cotangent, cotangent.label + " and a part of it",
                  [](std::size_t k, double value) { return is_part(k) ? 2 * value : value; })};
}

std::vector<Cotangent> cotangents_for(const GradientProblem& problem, std::uint64_t seed) {
  std::vector<Cotangent> out;
  out.push_back(random_cotangent(problem, seed, 0));
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    if (problem.outputs.size() > 1)
      out.push_back(random_cotangent(problem, seed, 1, static_cast<std::ptrdiff_t>(i)));
    const std::size_t count = element_count(plan_of(problem, i).shape);
    if (count == 0) continue;
    const std::size_t element = random_element(seed, i, count);
    out.push_back(one_hot_cotangent(problem, i, element));
    if (element != count - 1) out.push_back(one_hot_cotangent(problem, i, count - 1));
  }
  return out;
}

Inputs copied(const Inputs& inputs) { return placed(inputs.values); }

Inputs with_zeros(const Inputs& inputs) {
  std::vector<BoundInput> values = inputs.values;
  for (BoundInput& value : values) value.origin.clear();
  Inputs out = placed(std::move(values));
  for (BoundInput& value : out.values) {
    const bool is_floating = !value.scalar && info(value.tensor.dtype).kind == DTypeKind::floating;
    if (is_floating) put_zeros(value, out.memory.data() + value.offset);
  }
  return out;
}

Inputs backward_inputs(const GradientProblem& problem, const Inputs& inputs,
                       std::span<const TensorView> left, const Cotangent& cotangent) {
  const std::vector<InputPlan>& plans = problem.backward.inputs;
  const std::size_t outputs = left.size() - problem.residuals;
  std::vector<BoundInput> values;
  const auto add = [&](const TensorView& tensor) {
    values.push_back(described(plans[values.size()].tensor, tensor));
  };
  for (const TensorView& residual : left.subspan(outputs)) add(residual);
  for (const BoundInput& input : inputs.values) {
    BoundInput value = input;
    value.name = plans[values.size()].tensor.name;
    value.origin.clear();
    values.push_back(std::move(value));
  }
  for (const TensorView& output : left.first(outputs)) add(output);
  for (const NamedTensor& one : cotangent.tensors) add(one.tensor);
  return placed(std::move(values));
}

}  // namespace kbench
