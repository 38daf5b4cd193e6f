#include "judge/operand_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "problem/element.hpp"

namespace kbench {
namespace {

using AxisNames = std::vector<std::string>;

std::size_t shared_axes(const AxisNames& input, const AxisNames& output) {
  const auto end = std::mismatch(input.begin(), input.end(), output.begin(), output.end()).first;
  return static_cast<std::size_t>(end - input.begin());
}

double root_mean_square(std::span<const double> values) {
  double squares = 0, finite = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    squares += v * v;
    ++finite;
  }
  return finite > 0 ? std::sqrt(squares / finite) : 0;
}

// Takes in an input that is in as many equal parts, or in more elements than that.
void take_in(std::vector<double>& sizes, const TensorView& input, std::size_t parts) {
  const std::size_t count = element_count(input.shape);
  if (parts == 0 || count == 0) return;
  std::vector<double> values(count);
  decode(input.dtype, input.data, 0, std::span(values));
  if (parts > sizes.size()) {
    std::vector<double> finer(parts);
    for (std::size_t k = 0; k < parts && !sizes.empty(); ++k)
      finer[k] = sizes[k / (parts / sizes.size())];
    sizes = std::move(finer);
  }
  const std::size_t length = count / parts, repeats = sizes.size() / parts;
  for (std::size_t k = 0; k < parts; ++k) {
    const double rms = root_mean_square(std::span(values).subspan(k * length, length));
    for (std::size_t i = k * repeats; i < (k + 1) * repeats; ++i)
      sizes[i] = std::max(sizes[i], rms);
  }
}

}  // namespace

std::vector<double> operand_sizes(const Definition& definition, const TensorSpec& output,
                                  const TensorPlan& plan, const Inputs& inputs) {
  std::vector<double> sizes;
  if (!output.shape) return sizes;
  for (const BoundInput& input : inputs.values) {
    const TensorSpec* spec = definition.inputs.find(input.name);
    if (spec == nullptr || !spec->shape || info(input.tensor.dtype).kind != DTypeKind::floating)
      continue;
    const std::size_t shared = shared_axes(*spec->shape, *output.shape);
    if (shared == 0 || shared > plan.shape.size()) continue;
    const auto end = plan.shape.begin() + static_cast<std::ptrdiff_t>(shared);
    take_in(sizes, input.tensor, element_count({plan.shape.begin(), end}));
  }
  return sizes;
}

}  // namespace kbench
