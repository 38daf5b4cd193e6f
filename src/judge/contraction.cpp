#include "judge/contraction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "problem/element.hpp"
#include "schema/check_function.hpp"
#include "syntax/called.hpp"

namespace kbench {
namespace {

constexpr std::size_t samples = 16;
constexpr std::size_t most_terms = 1 << 20;
constexpr double largest_difference = 1e-9;  // relative to Σ |a·b|

using AxisIndices = std::map<std::string, std::size_t>;  // an index for each axis
using Axes = std::vector<std::string>;

std::size_t length(const Problem& problem, const std::string& axis) {
  return static_cast<std::size_t>(*problem.axes.find(axis));
}

bool are_unlike(const Axes& axes) {
  return std::set<std::string>(axes.begin(), axes.end()).size() == axes.size();
}

struct Operand {
  const TensorView* tensor;
  const Axes* axes;

  double at(const Problem& problem, const AxisIndices& place) const {
    std::size_t index = 0;
    for (const std::string& axis : *axes) index = index * length(problem, axis) + place.at(axis);
    double value = 0;
    decode(tensor->dtype, tensor->data, index, std::span(&value, 1));
    return value;
  }
};

// The two that go in, if there are no other tensors.
std::vector<Operand> operands(const Definition& definition, const Inputs& inputs) {
  std::vector<Operand> out;
  for (const BoundInput& input : inputs.values) {
    const TensorSpec* spec = definition.inputs.find(input.name);
    if (input.scalar || spec == nullptr || !spec->shape) continue;
    if (info(spec->dtype).kind != DTypeKind::floating || !are_unlike(*spec->shape)) return {};
    out.push_back({&input.tensor, &*spec->shape});
  }
  return out;
}

AxisIndices place_of(std::size_t index, const Axes& axes, const Problem& problem) {
  AxisIndices place;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    place[*axis] = index % length(problem, *axis);
    index /= length(problem, *axis);
  }
  return place;
}

// The next index of the axes, the last one first; false after the last.
bool step(AxisIndices& place, const Axes& axes, const Problem& problem) {
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (++place[*axis] < length(problem, *axis)) return true;
    place[*axis] = 0;
  }
  return false;
}

bool is_sum(double r, AxisIndices place, const Axes& summed, const std::vector<Operand>& of,
            const Problem& problem) {
  double sum = 0, sizes = 0;
  for (const std::string& axis : summed) place[axis] = 0;
  do {
    const double term = of[0].at(problem, place) * of[1].at(problem, place);
    sum += term;
    sizes += std::fabs(term);
  } while (step(place, summed, problem));
  return std::fabs(sum - r) <= largest_difference * sizes;
}

bool has(const Axes& axes, const std::string& axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// The axes that are summed over; nothing where the output has one that no operand has.
std::optional<Axes> summed_axes(const Axes& output, const std::vector<Operand>& of) {
  std::set<std::string> unused(output.begin(), output.end());
  Axes summed;
  for (const Operand& operand : of) {
    for (const std::string& axis : *operand.axes) {
      unused.erase(axis);
      if (!has(output, axis) && !has(summed, axis)) summed.push_back(axis);
    }
  }
  return unused.empty() ? std::optional(summed) : std::nullopt;
}

std::size_t terms(const Axes& summed, const Problem& problem) {
  std::size_t count = 1;
  for (const std::string& axis : summed) count *= length(problem, axis);
  return count;
}

bool are_sums(std::span<const double> values, const Axes& output, const Axes& summed,
              const std::vector<Operand>& of, const Problem& problem) {
  const std::size_t stride = std::max<std::size_t>(values.size() / samples, 1);
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const AxisIndices place = place_of(i, output, problem);
    if (!std::isfinite(values[i]) || !is_sum(values[i], place, summed, of, problem)) return false;
  }
  return !values.empty();
}

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

bool is_contraction(const Definition& definition, const Problem& problem, const Inputs& inputs,
                    const ExactAnswer& answer) {
  const std::vector<Operand> of = operands(definition, inputs);
  if (of.size() != 2 || answer.outputs.size() != 1 || !answer.outputs[0].is_floating) return false;
  const TensorSpec& output = definition.outputs.begin()->second;
  if (!output.shape || !are_unlike(*output.shape)) return false;
  const auto summed = summed_axes(*output.shape, of);
  if (!summed) return false;
  const std::size_t count = terms(*summed, problem);
  return count > 0 && count <= most_terms &&
         are_sums(answer.outputs[0].values, *output.shape, *summed, of, problem);
}

bool is_named_contraction(const Definition& definition) {
  constexpr std::string_view functions[] = {
      "gelu",      "silu",      "relu",    "relu6",       "leaky_relu", "elu",
      "sigmoid",   "tanh",      "softmax", "log_softmax", "exp",        "clamp",
      "clamp_min", "clamp_max", "mish",    "hardswish",   "softplus"};
  const std::string_view kind = definition.op_type;
  if (kind != "gemm" && !kind.starts_with("gemm_") && !kind.ends_with("_gemm")) return false;
  std::ptrdiff_t tensors = 0;
  for (const auto& [name, spec] : definition.inputs) {
    const bool is_floating = info(spec.dtype).kind == DTypeKind::floating;
    if (spec.shape && spec.shape->size() > 1 && !is_floating) return false;  // packed weights
    tensors += spec.shape && is_floating ? 1 : 0;
  }
  const python::Calls calls(text_without_check(definition));
  return tensors == 2 &&
         std::none_of(std::begin(functions), std::end(functions),
                      [&](std::string_view function) { return calls.any(function); });
}

bool multiplies_matrices(std::string_view reference) {
  constexpr std::string_view functions[] = {"matmul",
                                            "einsum",
                                            "mm",
                                            "bmm",
                                            "addmm",
                                            "baddbmm",
                                            "addbmm",
                                            "mv",
                                            "dot",
                                            "vecdot",
                                            "inner",
                                            "tensordot",
                                            "bilinear",
                                            "chain_matmul",
                                            "linear",
                                            "multi_dot",
                                            "scaled_dot_product_attention"};
  const python::Calls calls(reference);
  return calls.multiplies_matrices() ||
         std::any_of(std::begin(functions), std::end(functions),
                     [&](std::string_view function) { return calls.any(function); });
}

bool weighs_by_integers(const Definition& definition) {
  return multiplies_matrices(text_without_check(definition)) &&
         std::any_of(definition.inputs.begin(), definition.inputs.end(), [](const auto& input) {
           const TensorSpec& spec = input.second;
           return spec.shape && spec.shape->size() > 1 && spec.dtype == DType::int8;
         });
}

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
