#include "problem/bind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

// A tensor larger than this is a mistake in an axis, not a workload.
constexpr std::int64_t max_elements = std::int64_t{1} << 40;

std::string in_workload(const Workload& workload) {
  return fmt::format("workload {}", workload.uuid);
}

std::vector<std::string> axis_names(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : definition.axes) names.push_back(name);
  return names;
}

bool bind_axes(const Definition& definition, const Workload& workload, const Where& where,
               Problem& problem, Diagnostics& out) {
  const std::size_t before = out.errors();
  for (const auto& [name, axis] : definition.axes) {
    const auto constant = const_value(axis);
    const auto* given = workload.axes.find(name);
    if (constant && given != nullptr && *given != *constant) {
      out.error(where, fmt::format("{}: axis {} is const {}, the workload says {}",
                                   in_workload(workload), name, *constant, *given));
    } else if (!constant && given == nullptr) {
      out.error(where,
                fmt::format("{}: no value for the var axis {}", in_workload(workload), name));
    } else {
      problem.axes[name] = constant ? *constant : *given;
    }
  }
  for (const auto& [name, value] : workload.axes) {
    if (definition.axes.contains(name)) continue;
    out.warning(where,
                fmt::format("{}: {} has no axis {}", in_workload(workload), definition.name, name),
                did_you_mean(name, axis_names(definition)));
  }
  return out.errors() == before;
}

bool plan_tensor(const std::string& name, const TensorSpec& spec, const Problem& problem,
                 TensorPlan& plan, std::string& error) {
  plan.name = name;
  plan.dtype = spec.dtype;
  plan.is_scalar = !spec.shape;
  for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
    plan.shape.push_back(*problem.axes.find((*spec.shape)[i]));
  }
  std::int64_t elements = 1;
  for (const std::int64_t length : plan.shape) {
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(length, 1), &elements) ||
        elements > max_elements) {
      error = fmt::format("tensor {} {} has more than 2^40 elements", name, shape_text(plan.shape));
      return false;
    }
  }
  return true;
}

// What the workload says an input is must fit what the definition says it is.
std::string kind_mismatch(const TensorPlan& tensor, const InputSpec& source) {
  if (!tensor.is_scalar && std::holds_alternative<ScalarInput>(source)) {
    return fmt::format("{} is scalar but definition expects tensor", tensor.name);
  }
  if (tensor.is_scalar && std::holds_alternative<SafetensorsInput>(source)) {
    return fmt::format("{} is safetensors but definition expects scalar", tensor.name);
  }
  return "";
}

void bind_tensors(const Definition& definition, const Workload& workload, const Where& where,
                  Problem& problem, Diagnostics& out) {
  std::string error;
  for (const auto& [name, spec] : definition.inputs) {
    InputPlan input;
    const auto* source = workload.inputs.find(name);
    if (source != nullptr) input.source = *source;
    if (!plan_tensor(name, spec, problem, input.tensor, error)) {
      out.error(where, fmt::format("{}: {}", in_workload(workload), error));
    }
    const std::string mismatch = kind_mismatch(input.tensor, input.source);
    if (!mismatch.empty()) out.error(where, fmt::format("{}: {}", in_workload(workload), mismatch));
    problem.inputs.push_back(std::move(input));
  }
  for (const auto& [name, spec] : definition.outputs) {
    if (!plan_tensor(name, spec, problem, problem.outputs.emplace_back(), error)) {
      out.error(where, fmt::format("{}: {}", in_workload(workload), error));
    }
  }
}

std::string values_text(const std::vector<std::string>& names, const ConstraintScope& scope) {
  std::string out;
  for (const std::string& name : names) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, scope.integer(name).value_or(0));
  }
  return out;
}

}  // namespace

ConstraintScope scope_of(const Problem& problem) {
  const auto integer = [&problem](std::string_view name) -> std::optional<std::int64_t> {
    if (const auto* value = problem.axes.find(name)) return *value;
    for (const InputPlan& input : problem.inputs) {
      const auto* scalar = std::get_if<ScalarInput>(&input.source);
      if (input.tensor.name != name || scalar == nullptr) continue;
      if (const auto* value = std::get_if<std::int64_t>(&scalar->value)) return *value;
    }
    return std::nullopt;
  };
  const auto shape = [&problem](std::string_view name) -> std::optional<Shape> {
    for (const InputPlan& input : problem.inputs) {
      if (input.tensor.name == name) return input.tensor.shape;
    }
    for (const TensorPlan& output : problem.outputs) {
      if (output.name == name) return output.shape;
    }
    return std::nullopt;
  };
  return {integer, shape,
          [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
}

bool report_constraint(const Problem& problem, const std::string& constraint,
                       const ConstraintScope& scope, const Where& where, Diagnostics& out) {
  using Outcome = ConstraintResult::Outcome;
  const ConstraintResult result = check_constraint(constraint, scope);
  if (result.outcome == Outcome::violated) {
    const std::string values = values_text(result.used_names, scope);
    out.error(where,
              fmt::format("workload {}: constraint \"{}\" of {} is violated{}{}", problem.workload,
                          constraint, problem.definition, values.empty() ? "" : ": ", values));
  } else if (result.outcome == Outcome::invalid) {
    out.warning(where,
                fmt::format("workload {}: constraint \"{}\" of {} is not checked: {}",
                            problem.workload, constraint, problem.definition, result.message));
  }
  return result.outcome == Outcome::open;
}

std::optional<Problem> bind(const Definition& definition, const Workload& workload,
                            const Where& where, Diagnostics& diagnostics) {
  Problem problem;
  problem.definition = definition.name;
  problem.op_type = definition.op_type;
  problem.workload = workload.uuid;
  const std::size_t before = diagnostics.errors();
  if (!bind_axes(definition, workload, where, problem, diagnostics)) return std::nullopt;
  bind_tensors(definition, workload, where, problem, diagnostics);
  const ConstraintScope scope = scope_of(problem);
  for (const std::string& constraint : definition.constraints) {
    if (report_constraint(problem, constraint, scope, where, diagnostics)) {
      problem.open_constraints.push_back(constraint);
    }
  }
  if (diagnostics.errors() != before) return std::nullopt;
  return problem;
}

OrderedMap<AxisBinding> var_axis_bindings(const Definition& definition) {
  OrderedMap<AxisBinding> bindings;
  for (const auto& [input, spec] : definition.inputs) {
    for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
      const std::string& axis = (*spec.shape)[i];
      const Axis* found = definition.axes.find(axis);
      if (found == nullptr || const_value(*found) || bindings.contains(axis)) continue;
      bindings[axis] = {input, static_cast<int>(i)};
    }
  }
  return bindings;
}

namespace {

// The lengths of one input's var axes into `out`.
void take_lengths(const Definition& definition, const std::vector<std::string>& names,
                  const Shape& shape, AxisValues& out) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string& axis = names[i];
    if (const_value(*definition.axes.find(axis))) continue;
    const auto* known = out.axes.find(axis);
    if (known != nullptr && *known != shape[i]) {
      out.error =
          fmt::format("Axis '{}' has different values for different input tensors: {} and {}", axis,
                      *known, shape[i]);
      return;
    }
    out.axes[axis] = shape[i];
  }
}

// The var axes without a length: "'M', 'N'".
std::string missing_lengths(const Definition& definition, const AxisValues& values) {
  std::string missing;
  for (const auto& [name, axis] : definition.axes) {
    if (const_value(axis) || values.axes.contains(name)) continue;
    missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", name);
  }
  return missing;
}

}  // namespace

AxisValues axis_values(const Definition& definition, std::span<const MaybeShape> input_shapes) {
  AxisValues out;
  std::size_t position = 0;
  for (const auto& [input, spec] : definition.inputs) {
    if (position == input_shapes.size()) break;  // missing trailing shapes are skipped
    const MaybeShape& shape = input_shapes[position++];
    if (!spec.shape || !shape) continue;
    if (shape->size() != spec.shape->size()) {
      out.error = fmt::format("Input '{}''s defined dimension is {} but the actual dimension is {}",
                              input, spec.shape->size(), shape->size());
      return out;
    }
    take_lengths(definition, *spec.shape, *shape, out);
    if (!out.error.empty()) return out;
  }
  const std::string missing = missing_lengths(definition, out);
  if (!missing.empty())
    out.error = fmt::format("Missing values for variable axes: {{{}}}", missing);
  return out;
}

Shapes shapes_of(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                 const OrderedMap<std::int64_t>& axes) {
  Shapes out;
  for (const auto& [name, spec] : tensors) {
    if (!spec.shape) {
      out.shapes.emplace_back();
      continue;
    }
    Shape& shape = out.shapes.emplace_back().emplace();
    for (const std::string& axis : *spec.shape) {
      const auto constant = const_value(*definition.axes.find(axis));
      const auto* value = axes.find(axis);
      if (!constant && value == nullptr) {
        out.error = fmt::format("Missing value for variable axis '{}'", axis);
        return out;
      }
      shape.push_back(constant ? *constant : *value);
    }
  }
  return out;
}

Arguments merge_arguments(const Definition& definition, std::span<const std::string> positional,
                          const OrderedMap<std::string>& named) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : definition.inputs) names.push_back(name);
  for (const auto& [name, spec] : definition.outputs) names.push_back(name);
  Arguments out;
  if (positional.size() > names.size()) {
    out.error = fmt::format("Too many positional arguments: got {}, expected at most {}",
                            positional.size(), names.size());
    return out;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string* value = named.find(names[i]);
    if (i < positional.size() && value != nullptr) {
      out.values.clear();
      out.error = fmt::format("Got multiple values for argument '{}'", names[i]);
      return out;
    }
    if (i < positional.size()) value = &positional[i];
    if (value == nullptr) break;
    out.values.push_back(*value);
  }
  return out;
}

}  // namespace kbench
