#include "judge/derive/cancellation.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "problem/element.hpp"

namespace kbench {
namespace {

using Axes = std::vector<std::string>;

Axes axes_of(const TensorSpec& spec) { return spec.shape.value_or(Axes{}); }

std::size_t shared(const Axes& a, const Axes& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

std::size_t parts_of(const std::vector<std::int64_t>& shape, std::size_t leading) {
  std::size_t parts = 1;
  for (std::size_t i = 0; i < leading; ++i) parts *= static_cast<std::size_t>(shape[i]);
  return parts;
}

// Adds the squares of each of as many equal parts.
void add_squares(const std::vector<double>& values, std::vector<double>& parts) {
  const std::size_t length = values.size() / parts.size();
  for (std::size_t i = 0; i < length * parts.size(); ++i)
    if (std::isfinite(values[i])) parts[i / length] += values[i] * values[i];
}

}  // namespace

std::vector<double> cancelling_sizes(const GradientQuestion& question, const Cotangent& cotangent,
                                     std::size_t place) {
  const GradientProblem& gradients = question.gradients;
  const Axes axes = axes_of(question.definition.inputs.items[place].second);
  std::size_t leading = axes.size();
  for (const std::size_t output : gradients.outputs)
    leading =
        std::min(leading, shared(axes, axes_of(question.definition.outputs.items[output].second)));
  const TensorView& input = question.inputs.values[place].tensor;
  const std::size_t parts = parts_of(input.shape, leading);
  if (parts == 0) return {};
  std::vector<double> weighted(parts), own(parts);
  for (std::size_t i = 0; i < gradients.outputs.size(); ++i) {
    std::vector<double> values = decoded(question.reference.outputs[gradients.outputs[i]]);
    const std::vector<double> weights = decoded(cotangent.tensors[i].tensor);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= weights[k];
    add_squares(values, weighted);
  }
  const std::vector<double> numbers = decoded(input);
  add_squares(numbers, own);
  double all = 0;
  for (const double squares : own) all += squares;
  const double length = static_cast<double>(numbers.size()) / static_cast<double>(parts);
  std::vector<double> sizes(parts);
  for (std::size_t k = 0; k < parts; ++k) {
    const double squares = own[k] > 0 ? own[k] : all / static_cast<double>(parts);
    if (squares > 0) sizes[k] = std::sqrt(weighted[k] / (squares / length));
  }
  return sizes;
}

}  // namespace kbench
