#include "problem/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "problem/constraint.hpp"
#include "problem/constraint_value.hpp"
#include "schema/solution_check.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using Problems = std::vector<LaunchProblem>;
using python::Expression;
using Node = Expression::Kind;

// Names that a launch may use.
struct Named {
  const Definition& definition;
  const std::vector<std::string>& parameters;

  bool is_parameter(std::string_view name) const {
    return std::find(parameters.begin(), parameters.end(), name) != parameters.end();
  }
};

// Axes that are not constant, and parameters, are `otherwise`.
ConstraintScope axes_of(const Named& named, std::optional<std::int64_t> otherwise) {
  return {[named, otherwise](std::string_view name) -> std::optional<std::int64_t> {
    const Axis* found = named.definition.axes.find(name);
    if (found == nullptr) return named.is_parameter(name) ? otherwise : std::nullopt;
    const auto constant = const_value(*found);
    return constant ? constant : otherwise;
  }};
}

std::optional<std::int64_t> integer_of(const ChosenConfiguration& chosen, std::string_view name) {
  for (const Configuration* values : {&chosen.define, &chosen.runtime}) {
    const ParameterValue* const value = values->find(name);
    const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (integer != nullptr) return *integer;
  }
  return std::nullopt;
}

ConstraintScope axes_of(const Problem& problem, const ChosenConfiguration& chosen) {
  return {[&problem, &chosen](std::string_view name) -> std::optional<std::int64_t> {
    const std::int64_t* found = problem.axes.find(name);
    return found == nullptr ? integer_of(chosen, name) : std::optional(*found);
  }};
}

// A size, its place, and its range.
struct PlacedSize {
  std::string pointer;
  const LaunchSize& size;
  LaunchRange range;
};

std::vector<PlacedSize> sizes_of(const Launch& launch) {
  std::vector<PlacedSize> out;
  const auto add = [&out](const std::vector<LaunchSize>& sizes, std::string_view name,
                          const std::array<LaunchRange, 3>& ranges) {
    for (std::size_t i = 0; i < std::min(sizes.size(), ranges.size()); ++i)
      out.push_back({fmt::format("/{}/{}", name, i), sizes[i], ranges[i]});
  };
  add(launch.grid, "grid", grid_range);
  add(launch.block, "block", block_range);
  if (launch.shared_bytes) out.push_back({"/shared_bytes", *launch.shared_bytes, shared_range});
  return out;
}

ConstraintValue value_of(const LaunchSize& size, const ConstraintScope& scope) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) return *number;
  return constraint_value(std::get<std::string>(size), scope);
}

std::string threads_problem(std::int64_t threads) {
  if (threads <= threads_range.most) return "";
  return fmt::format("a block has {} threads, and {} are the most that a device takes", threads,
                     threads_range.most);
}

// Axes and parameters.
std::vector<std::string> length_names(const Named& named) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : named.definition.axes) names.push_back(name);
  names.insert(names.end(), named.parameters.begin(), named.parameters.end());
  return names;
}

std::string hint_for(const std::string& name, const std::vector<std::string>& known) {
  const std::string guess = did_you_mean(name, known);
  return guess.empty() ? "there are " + join(known, ", ") : guess;
}

// Sizes that are numbers, and text that is no Python, are the schema's to judge.
void check_size(const PlacedSize& one, const Named& named, Problems& out) {
  const auto* text = std::get_if<std::string>(&one.size);
  if (text == nullptr) return;
  const auto parsed = python::parse_expression(*text);
  const auto* expression = std::get_if<python::ExpressionPtr>(&parsed);
  if (expression == nullptr) return;
  if (const auto flaw = find_invalid_part(**expression, axes_of(named, 1))) {
    const bool is_name = flaw->part->kind == Node::name;
    out.push_back({one.pointer, flaw->part->begin,
                   is_name ? fmt::format("\"{}\" is no axis", flaw->part->text) : flaw->message,
                   is_name ? hint_for(flaw->part->text, length_names(named)) : ""});
    return;
  }
  const ConstraintValue value = value_of(one.size, axes_of(named, std::nullopt));
  const auto* number = std::get_if<std::int64_t>(&value);
  const std::string problem = number == nullptr ? "" : range_problem(*number, one.range);
  if (!problem.empty()) out.push_back({one.pointer, 0, problem, ""});
}

// Sizes that are each allowed may be too many threads together.
void check_threads(const Launch& launch, const Named& named, Problems& out) {
  std::int64_t threads = 1;
  for (const LaunchSize& size : launch.block) {
    const ConstraintValue value = value_of(size, axes_of(named, std::nullopt));
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number > threads_range.most) return;
    threads *= *number;
  }
  if (std::string problem = threads_problem(threads); !problem.empty())
    out.push_back({"/block", 0, std::move(problem), ""});
}

void check_arguments(const Launch& launch, const Named& named, Problems& out) {
  const Definition& definition = named.definition;
  std::vector<std::string> known;
  for (const auto* tensors : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *tensors) known.push_back(name);
  for (const std::string& name : length_names(named)) known.push_back(name);
  for (std::size_t i = 0; launch.arguments && i < launch.arguments->size(); ++i) {
    const std::string& name = (*launch.arguments)[i];
    if (definition.inputs.contains(name) || definition.outputs.contains(name) ||
        definition.axes.contains(name) || named.is_parameter(name))
      continue;
    out.push_back({fmt::format("/arguments/{}", i), 0,
                   fmt::format("\"{}\" is no input, no output and no axis", name),
                   hint_for(name, known)});
  }
}

}  // namespace

std::vector<LaunchProblem> launch_problems(const Launch& launch, const Definition& definition,
                                           const std::vector<std::string>& parameters) {
  const Named named{definition, parameters};
  Problems out;
  for (const PlacedSize& one : sizes_of(launch)) check_size(one, named, out);
  check_threads(launch, named, out);
  check_arguments(launch, named, out);
  return out;
}

namespace {

// "grid[0], (M + 127) // 128"
std::string described(const PlacedSize& one) {
  std::string name = one.pointer.substr(1);
  if (const std::size_t slash = name.find('/'); slash != name.npos)
    name = fmt::format("{}[{}]", name.substr(0, slash), name.substr(slash + 1));
  const auto* text = std::get_if<std::string>(&one.size);
  return text == nullptr ? name : fmt::format("{}, {}", name, *text);
}

// Puts the sizes into `values`; returns "" where all have one.
std::string bind_sizes(const Launch& launch, const ConstraintScope& axes,
                       std::vector<std::uint32_t>& values) {
  for (const PlacedSize& one : sizes_of(launch)) {
    const ConstraintValue value = value_of(one.size, axes);
    if (const auto* none = std::get_if<NoValue>(&value))
      return fmt::format("{}: {}", described(one), none->message);
    const std::string wrong = range_problem(std::get<std::int64_t>(value), one.range);
    if (!wrong.empty()) return fmt::format("{}: {}", described(one), wrong);
    values.push_back(static_cast<std::uint32_t>(std::get<std::int64_t>(value)));
  }
  return "";
}

std::vector<std::string> argument_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const InputPlan& input : problem.inputs) names.push_back(input.tensor.name);
  for (const TensorPlan& output : problem.outputs) names.push_back(output.name);
  return names;
}

worker::Parameter parameter_of(const std::string& name, const std::vector<std::string>& arguments,
                               const ConstraintScope& axes) {
  const auto found = std::find(arguments.begin(), arguments.end(), name);
  if (found != arguments.end()) return {static_cast<std::int32_t>(found - arguments.begin()), 0};
  return {-1, axes.number(name).value_or(0).value};  // launch_problems() knows the name
}

// Returns "" where there is room for all.
std::string bind_parameters(const Launch& launch, const Problem& problem,
                            const ConstraintScope& axes, worker::KernelLaunch& out) {
  const std::vector<std::string> arguments = argument_names(problem);
  const std::vector<std::string> names = launch.arguments.value_or(arguments);
  if (names.size() > worker::max_parameters)
    return fmt::format("{} arguments: there may be {}", names.size(), worker::max_parameters);
  for (const std::string& name : names)
    out.parameters[out.parameter_count++] = parameter_of(name, arguments, axes);
  return "";
}

}  // namespace

std::variant<worker::KernelLaunch, std::string> bind_launch(const Launch& launch,
                                                            const Problem& problem,
                                                            const ChosenConfiguration& chosen) {
  const ConstraintScope axes = axes_of(problem, chosen);
  worker::KernelLaunch out{{1, 1, 1}, {1, 1, 1}, 0, 0, {}};
  std::vector<std::uint32_t> values;
  if (std::string wrong = bind_sizes(launch, axes, values); !wrong.empty()) return wrong;
  auto next = values.begin();
  for (std::size_t i = 0; i < std::min(launch.grid.size(), grid_range.size()); ++i)
    out.grid[i] = *next++;
  for (std::size_t i = 0; i < std::min(launch.block.size(), block_range.size()); ++i)
    out.block[i] = *next++;
  if (launch.shared_bytes) out.shared_bytes = *next;
  const auto threads = std::int64_t{out.block[0]} * out.block[1] * out.block[2];
  if (std::string wrong = threads_problem(threads); !wrong.empty()) return wrong;
  if (std::string wrong = bind_parameters(launch, problem, axes, out); !wrong.empty()) return wrong;
  return out;
}

}  // namespace kbench
