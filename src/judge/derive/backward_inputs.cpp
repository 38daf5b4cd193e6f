#include "judge/derive/backward_inputs.hpp"

#include <cstring>

#include "problem/element.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

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
