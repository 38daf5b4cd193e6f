// Checks of a Solution's configurations against the Definition that it is for.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/operators/name_rules.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

template <class Value>
std::vector<std::string> names_in(const OrderedMap<Value>& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

std::vector<std::string> scalars_of(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : definition.inputs)
    if (!spec.shape) names.push_back(name);
  return names;
}

// Returns 'did you mean "M"?', else a list of the known names.
std::string known_hint(const std::string& name, const std::vector<std::string>& known,
                       std::string_view what, const Definition& definition) {
  std::string near = did_you_mean(name, known);
  if (!near.empty()) return near;
  return known.empty() ? fmt::format("{} has no {}", definition.name, what)
                       : fmt::format("{} has the {} {}", definition.name, what, join(known, ", "));
}

// Subjects of a condition, and thus the message where it uses a parameter all the same.
enum class Speaks { of_parameters_too, of_calls_by_which_values_are_chosen, of_calls_alone };

// Says why a condition cannot use a name: no call has it, and it is no parameter that is an integer
// in every value. "" where it can.
std::string unknown_name(const std::string& name, const Tunables& tunables,
                         const Definition& definition, Speaks speaks) {
  if (is_of_call(name, definition)) return "";
  if (const TensorSpec* const input = definition.inputs.find(name); input != nullptr)
    return fmt::format("{} is a tensor: conditions see its dtype and the axes", name);
  const Parameter* const parameter = find_parameter(tunables, name);
  if (parameter == nullptr)
    return fmt::format("\"{}\" is no axis and no scalar input{}", name,
                       speaks == Speaks::of_calls_alone ? "" : ", and no parameter");
  if (speaks == Speaks::of_calls_by_which_values_are_chosen)
    return fmt::format("{} is a parameter: which values it has is said here, by the call", name);
  if (speaks == Speaks::of_calls_alone)
    return fmt::format("{} is a parameter: which calls there are is said here, by the call", name);
  for (const ParameterValue& value : parameter->values) {
    if (std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value))
      return fmt::format("{} can be {}: conditions are over whole numbers", name,
                         parameter_text(value));
  }
  return "";
}

void check_names(const Condition& condition, const Tunables& tunables, const Definition& definition,
                 Speaks speaks, Diagnostics& out) {
  for (const std::string& name : names_in_condition(condition.text)) {
    std::string wrong = unknown_name(name, tunables, definition, speaks);
    if (wrong.empty()) continue;
    std::vector<std::string> known = names_in(definition.axes);
    for (std::string& scalar : scalars_of(definition)) known.push_back(std::move(scalar));
    for (const Parameter& one : tunables.parameters)
      if (speaks == Speaks::of_parameters_too) known.push_back(one.name);
    const bool is_misspelt = find_parameter(tunables, name) == nullptr;
    out.error(condition.where, std::move(wrong), is_misspelt ? did_you_mean(name, known) : "");
  }
}

// Reports a row that would be refused wherever it is asked for. Conditions that need lengths of
// workloads are left to the call.
void check_row(const ConfigurationRow& row, const Tunables& tunables, const Definition& definition,
               Diagnostics& out) {
  const CallFacts facts = with_facts(dtype_facts(definition), tunables.implementation);
  const NumberOf number = [&](std::string_view name) -> std::optional<Number> {
    if (const Number* const fact = facts.find(name)) return *fact;
    if (const Axis* const axis = definition.axes.find(name)) return const_value(*axis);
    const ParameterValue* const value = row.values.find(name);
    if (value == nullptr) return std::nullopt;
    if (const auto* truth = std::get_if<bool>(value)) return *truth ? 1 : 0;
    const auto* integer = std::get_if<std::int64_t>(value);
    return integer == nullptr ? std::nullopt : std::optional<Number>(*integer);
  };
  for (const Condition& condition : tunables.where) {
    const auto result = check_condition(condition.text, number);
    using Outcome = ConstraintResult::Outcome;
    if (result.outcome != Outcome::violated && result.outcome != Outcome::undefined) continue;
    const std::string values = values_of(result, number);
    out.error(row.where,
              fmt::format("where forbids {}: {} does not hold{}{}", configuration_text(row.values),
                          condition.text, values.empty() ? "" : ": ", values),
              "the condition: " + short_place(condition.where));
    return;
  }
}

// Buckets are for axes whose lengths workloads set.
void check_buckets(const Tunables& tunables, const Definition& definition, Diagnostics& out) {
  for (const auto& [name, where] : tunables.bucket_places) {
    const Axis* const axis = definition.axes.find(name);
    if (axis == nullptr)
      out.error(where, fmt::format("bucket: \"{}\" is no axis of {}", name, definition.name),
                known_hint(name, names_in(definition.axes), "axes", definition));
    else if (!std::holds_alternative<AxisVar>(*axis))
      out.warning(where, fmt::format("bucket: {} has one length alone", name),
                  "lengths that workloads set can share a configuration");
  }
}

void check_specialised(const Tunables& tunables, const Definition& definition, Diagnostics& out) {
  for (const auto& [name, where] : tunables.specialise_places) {
    const TensorSpec* const input = definition.inputs.find(name);
    if (input == nullptr)
      out.error(where, fmt::format("specialise: \"{}\" is no input of {}", name, definition.name),
                known_hint(name, scalars_of(definition), "scalar inputs", definition));
    else if (input->shape)
      out.error(where,
                fmt::format("specialise: {} is a tensor, whose values are not part of a key", name),
                known_hint("", scalars_of(definition), "scalar inputs", definition));
  }
}

bool is_of(const std::string& name, const Definition& definition) {
  return definition.axes.contains(name) || definition.inputs.contains(name) ||
         definition.outputs.contains(name);
}

void check_passed(const Parameter& parameter, Diagnostics& out) {
  for (const ParameterValue& value : parameter.values) {
    if (std::holds_alternative<std::string>(value))
      out.error(parameter.where,
                fmt::format("{} can be {}: a call passes numbers, true and false", parameter.name,
                            parameter_text(value)),
                "words can be macros: kind: define");
  }
}

void check_macros(const Tunables& tunables, const Solution& solution, Diagnostics& out) {
  const Language language = solution.spec.language;
  const bool has_macros = language == Language::cpp || language == Language::cuda;
  for (const Parameter& parameter : tunables.parameters) {
    if (parameter.kind == ParameterKind::runtime) {
      if (has_macros) check_passed(parameter, out);
      continue;
    }
    if (!has_macros)
      out.error(parameter.where,
                fmt::format("{} is a macro, and {} is in {}, which has none", parameter.name,
                            solution.name, name_of(language)),
                "with {kind: runtime, values: […]} it is passed in each call, after the inputs");
    else if (ops::is_taken_in_cpp(parameter.name))
      out.error(parameter.where,
                fmt::format("{} is a word of C++ or of its headers, and so no name of a macro",
                            parameter.name));
  }
}

}  // namespace

bool is_mentioned(const std::string& word, const Solution& solution) {
  return std::any_of(
      solution.sources.begin(), solution.sources.end(),
      [&](const SourceFile& source) { return source.content.find(word) != std::string::npos; });
}

void warn_of_idle_macros(const Tunables& tunables, const Solution& solution, Diagnostics& out) {
  for (const Parameter& parameter : tunables.parameters) {
    if (parameter.kind == ParameterKind::define && !is_mentioned(parameter.name, solution))
      out.warning(parameter.where,
                  fmt::format("no source of {} mentions the macro {}: all its values are one "
                              "program",
                              solution.name, parameter.name));
  }
}

void check_tunables(const Tunables& tunables, const Solution& solution,
                    const Definition& definition, Diagnostics& out) {
  check_macros(tunables, solution, out);
  for (const Parameter& parameter : tunables.parameters) {
    if (is_of(parameter.name, definition))
      out.error(parameter.where, fmt::format("{} has {} already: the parameter needs another name",
                                             definition.name, parameter.name));
  }
  for (const Condition& condition : tunables.where)
    check_names(condition, tunables, definition, Speaks::of_parameters_too, out);
  constexpr Speaks by_calls = Speaks::of_calls_by_which_values_are_chosen;
  for (const Condition& condition : tunables.key)
    check_names(condition, tunables, definition, by_calls, out);
  for (const auto* rows : {&tunables.candidates, &tunables.heuristic}) {
    for (const ConfigurationRow& row : *rows) {
      if (row.condition) check_names(*row.condition, tunables, definition, by_calls, out);
      check_row(row, tunables, definition, out);
    }
  }
  for (const Condition& condition : tunables.supports)
    check_names(condition, tunables, definition, Speaks::of_calls_alone, out);
  check_buckets(tunables, definition, out);
  check_specialised(tunables, definition, out);
}

}  // namespace kbench
