#include "judge/derive/cotangents.hpp"

#include <fmt/format.h>

#include <cmath>

#include "problem/data/distribution.hpp"
#include "problem/data/philox.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::uint32_t first_tensor = 0xC0'7A'00'00;  // of streams: no input has such a number

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

}  // namespace

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

}  // namespace kbench
