#include "problem/problem.hpp"

#include <algorithm>

#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

bool is_in_an_output(const Definition& definition, const std::string& axis) {
  for (const auto& [name, spec] : definition.outputs) {
    if (spec.shape && std::find(spec.shape->begin(), spec.shape->end(), axis) != spec.shape->end())
      return true;
  }
  return false;
}

std::uint64_t bytes_of(const TensorPlan& tensor) {
  return tensor.is_scalar ? 0 : storage_bytes(tensor.dtype, element_count(tensor.shape));
}

}  // namespace

std::uint64_t tensor_bytes(const Problem& problem) {
  std::uint64_t bytes = output_bytes(problem);
  for (const InputPlan& input : problem.inputs) bytes += bytes_of(input.tensor);
  return bytes;
}

std::uint64_t output_bytes(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const TensorPlan& output : problem.outputs) bytes += bytes_of(output);
  return bytes;
}

bool has_empty_outputs(const Problem& problem) {
  return std::all_of(problem.outputs.begin(), problem.outputs.end(),
                     [](const TensorPlan& output) { return element_count(output.shape) == 0; });
}

double reduction_length(const Definition& definition, const Problem& problem) {
  double longest = 1;
  for (const auto& [name, spec] : definition.inputs) {
    double length = 1;
    if (!spec.shape || info(spec.dtype).kind != DTypeKind::floating) continue;
    for (const std::string& axis : *spec.shape) {
      if (is_in_an_output(definition, axis)) continue;
      if (const std::int64_t* size = problem.axes.find(axis))
        length *= static_cast<double>(std::max<std::int64_t>(*size, 1));
    }
    const std::int64_t* last =
        spec.shape->empty() ? nullptr : problem.axes.find(spec.shape->back());
    longest = std::max({longest, length, last != nullptr ? static_cast<double>(*last) : 1.0});
  }
  return longest;
}

bool stands_alone(const Definition& definition, const TensorSpec& output) {
  if (!output.shape || output.shape->empty()) return false;
  bool is_left = false;
  for (const auto& [name, spec] : definition.inputs) {
    if (!spec.shape || spec.shape->size() < 2 || info(spec.dtype).kind != DTypeKind::floating)
      continue;
    if (spec.shape->back() == output.shape->back()) return false;
    is_left = is_left ||
              std::all_of(output.shape->begin(), output.shape->end(), [&](const std::string& axis) {
                return std::find(spec.shape->begin(), spec.shape->end() - 1, axis) !=
                       spec.shape->end() - 1;
              });
  }
  return is_left;
}

}  // namespace kbench
