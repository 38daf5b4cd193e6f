#include "judge/reference_nan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "problem/element.hpp"
#include "verdict/misses.hpp"

namespace kbench {
namespace {

constexpr std::size_t block = 1024;

// Which elements are NaN; nothing where none is.
std::vector<bool> nan_of(const TensorView& tensor) {
  std::vector<bool> found;
  if (info(tensor.dtype).kind != DTypeKind::floating) return found;
  const std::size_t count = element_count(tensor.shape);
  std::vector<double> values(std::min(block, count));
  for (std::size_t first = 0; first < count; first += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), count - first));
    decode(tensor.dtype, tensor.data, first, part);
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (!std::isnan(part[k])) continue;
      found.resize(count);
      found[first + k] = true;
    }
  }
  return found;
}

std::optional<ReferenceNan> described(const std::string& output, const TensorView& tensor) {
  const std::vector<bool> found = nan_of(tensor);
  if (found.empty()) return std::nullopt;
  ReferenceNan out;
  out.output = output;
  out.count = std::count(found.begin(), found.end(), true);
  out.elements = static_cast<std::int64_t>(found.size());
  out.where = misses_text(found, tensor.shape);
  if (out.where.empty()) {
    const auto first = std::find(found.begin(), found.end(), true) - found.begin();
    out.where = "first at " + place_text(static_cast<std::size_t>(first), tensor.shape);
  }
  return out;
}

}  // namespace

std::vector<ReferenceNan> nan_in_answers(const Problem& problem, std::span<const Trial> trials) {
  std::vector<ReferenceNan> out;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    std::optional<ReferenceNan> found;
    for (const Trial& trial : trials) {
      if (!found) found = described(problem.outputs[i].name, trial.reference.outputs[i]);
    }
    if (found) out.push_back(std::move(*found));
  }
  return out;
}

std::string nan_text(const ReferenceNan& found) {
  return fmt::format("{} of {} elements of output \"{}\", {}", found.count, found.elements,
                     found.output, found.where);
}

}  // namespace kbench
