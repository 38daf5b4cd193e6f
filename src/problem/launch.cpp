#include "problem/launch.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "problem/constraint.hpp"
#include "problem/expression_flaw.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using Problems = std::vector<LaunchProblem>;
using Node = python::Expression::Kind;

// Knows the axes alone; what is not constant is 1.
ConstraintScope axes_of(const Definition& definition) {
  const auto axis = [&definition](std::string_view name) -> std::optional<std::int64_t> {
    const Axis* found = definition.axes.find(name);
    if (found == nullptr) return std::nullopt;
    return const_value(*found).value_or(1);
  };
  return {axis, [](std::string_view) { return std::nullopt; },
          [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
}

std::vector<std::string> axis_names(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : definition.axes) names.push_back(name);
  return names;
}

std::string hint_for(const std::string& name, const std::vector<std::string>& known) {
  const std::string guess = did_you_mean(name, known);
  return guess.empty() ? "there are " + join(known, ", ") : guess;
}

void check_size(const LaunchSize& size, const std::string& pointer, const Definition& definition,
                Problems& out) {
  const auto* text = std::get_if<std::string>(&size);
  if (text == nullptr) return;
  const auto parsed = python::parse_expression(*text);
  const auto* expression = std::get_if<python::ExpressionPtr>(&parsed);
  if (expression == nullptr) return;  // the schema says it
  const auto flaw = find_invalid_part(**expression, axes_of(definition));
  if (!flaw) return;
  const bool is_name = flaw->part->kind == Node::name;
  out.push_back({pointer, flaw->part->begin,
                 is_name ? fmt::format("\"{}\" is no axis", flaw->part->text) : flaw->message,
                 is_name ? hint_for(flaw->part->text, axis_names(definition)) : ""});
}

void check_sizes(const std::vector<LaunchSize>& sizes, const std::string& pointer,
                 const Definition& definition, Problems& out) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    check_size(sizes[i], fmt::format("{}/{}", pointer, i), definition, out);
}

void check_arguments(const Launch& launch, const Definition& definition, Problems& out) {
  std::vector<std::string> known;
  for (const auto* tensors : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *tensors) known.push_back(name);
  for (const std::string& name : axis_names(definition)) known.push_back(name);
  for (std::size_t i = 0; launch.arguments && i < launch.arguments->size(); ++i) {
    const std::string& name = (*launch.arguments)[i];
    if (definition.inputs.contains(name) || definition.outputs.contains(name) ||
        definition.axes.contains(name))
      continue;
    out.push_back({fmt::format("/arguments/{}", i), 0,
                   fmt::format("\"{}\" is no input, no output and no axis", name),
                   hint_for(name, known)});
  }
}

}  // namespace

std::vector<LaunchProblem> launch_problems(const Launch& launch, const Definition& definition) {
  Problems out;
  check_sizes(launch.grid, "/grid", definition, out);
  check_sizes(launch.block, "/block", definition, out);
  if (launch.shared_bytes) check_size(*launch.shared_bytes, "/shared_bytes", definition, out);
  check_arguments(launch, definition, out);
  return out;
}

}  // namespace kbench
