#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/tunables.hpp"

// Configurations that a Solution has: by their values, and by its conditions for a call.
namespace kbench {

bool is_listed(const ParameterValue& value, const std::vector<ParameterValue>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

const Parameter* find_parameter(const Tunables& tunables, std::string_view name) {
  for (const Parameter& parameter : tunables.parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

namespace {

// Shows a value so that a word which reads as one of the values is told from it.
std::string shown(const ParameterValue& value, const std::vector<std::string>& values) {
  std::string text = parameter_text(value);
  const bool reads_alike = std::find(values.begin(), values.end(), text) != values.end();
  const bool is_word = std::holds_alternative<std::string>(value);
  return reads_alike && is_word ? fmt::format("the word \"{}\"", text) : text;
}

}  // namespace

std::string unfit_value(std::string_view name, const ParameterValue& value,
                        const Tunables& tunables) {
  const Parameter* const parameter = find_parameter(tunables, name);
  if (parameter == nullptr) {
    std::vector<std::string> names;
    for (const Parameter& one : tunables.parameters) names.push_back(one.name);
    return fmt::format("\"{}\" is no parameter: there are {}", name, join(names, ", "));
  }
  if (is_listed(value, parameter->values)) return "";
  std::vector<std::string> values;
  for (const ParameterValue& one : parameter->values) values.push_back(parameter_text(one));
  return fmt::format("{} is {}: it can be {}", name, shown(value, values), join(values, ", "));
}

namespace {

// Returns the integers that conditions see: words and fractions are nothing to calculate with.
NumberOf numbers_of(const Configuration& configuration, const CallFacts& facts) {
  return [&configuration, &facts](std::string_view name) -> std::optional<Number> {
    if (const Number* const known = facts.find(name)) return *known;
    const ParameterValue* const value = configuration.find(name);
    if (const auto* integer = std::get_if<std::int64_t>(value)) return *integer;
    if (const auto* truth = std::get_if<bool>(value)) return *truth ? 1 : 0;
    return std::nullopt;
  };
}

bool holds(const Condition& condition, const NumberOf& number) {
  return check_condition(condition.text, number).outcome == ConstraintResult::Outcome::holds;
}

}  // namespace

std::string unfit_values(const Configuration& configuration, const Tunables& tunables) {
  for (const auto& [name, value] : configuration) {
    std::string wrong = unfit_value(name, value, tunables);
    if (!wrong.empty()) return wrong;
  }
  for (const Parameter& parameter : tunables.parameters)
    if (!configuration.contains(parameter.name))
      return fmt::format("{} has no value", parameter.name);
  return "";
}

std::string unfit(const Configuration& configuration, const Tunables& tunables,
                  const CallFacts& facts) {
  if (std::string wrong = unfit_values(configuration, tunables); !wrong.empty()) return wrong;
  const NumberOf number = numbers_of(configuration, facts);
  for (const Condition& condition : tunables.where) {
    const auto result = check_condition(condition.text, number);
    if (result.outcome == ConstraintResult::Outcome::holds) continue;
    const std::string values = values_of(result, number);
    return fmt::format("{} does not hold{}{}", condition.text, values.empty() ? "" : ": ", values);
  }
  return "";
}

namespace {

// Searches for the first configuration that the conditions allow, in the order of the values: the
// last parameter changes fastest.
class FirstAllowed {
 public:
  FirstAllowed(const Tunables& tunables, const CallFacts& facts)
      : tunables_(tunables), facts_(facts) {}

  std::optional<Configuration> behind(const Configuration& chosen) {
    if (checks_ > most_checks_of_conditions || is_forbidden(chosen)) return std::nullopt;
    if (chosen.size() == tunables_.parameters.size())
      return unfit(chosen, tunables_, facts_).empty() ? std::optional(chosen) : std::nullopt;
    const Parameter& parameter = tunables_.parameters[chosen.size()];
    for (const ParameterValue& value : parameter.values) {
      Configuration more = chosen;
      more[parameter.name] = value;
      if (auto found = behind(more)) return found;
    }
    return std::nullopt;
  }

 private:
  // Tells whether the values so far are forbidden, whatever the others are.
  bool is_forbidden(const Configuration& chosen) {
    using Outcome = ConstraintResult::Outcome;
    const NumberOf number = numbers_of(chosen, facts_);
    return std::any_of(tunables_.where.begin(), tunables_.where.end(),
                       [&](const Condition& condition) {
                         checks_ += 1 + condition.text.size() / bytes_of_a_check;
                         const Outcome outcome = check_condition(condition.text, number).outcome;
                         return outcome == Outcome::violated || outcome == Outcome::undefined;
                       });
  }

  const Tunables& tunables_;
  const CallFacts& facts_;
  std::uint64_t checks_ = 0;
};

// Returns the rows whose conditions hold, in their order.
std::vector<const ConfigurationRow*> rows_for(const std::vector<ConfigurationRow>& rows,
                                              const CallFacts& facts) {
  std::vector<const ConfigurationRow*> some;
  const NumberOf number = numbers_in(facts);
  for (const ConfigurationRow& row : rows)
    if (!row.condition || holds(*row.condition, number)) some.push_back(&row);
  return some;
}

std::vector<Configuration> fitting(const std::vector<ConfigurationRow>& rows,
                                   const Tunables& tunables, const CallFacts& facts) {
  std::vector<Configuration> some;
  for (const ConfigurationRow* row : rows_for(rows, facts))
    if (unfit(row->values, tunables, facts).empty()) some.push_back(row->values);
  return some;
}

}  // namespace

std::vector<std::string> skipped_rows(const Tunables& tunables, const CallFacts& facts) {
  std::vector<std::string> out;
  for (const ConfigurationRow* row : rows_for(tunables.heuristic, facts)) {
    const std::string wrong = unfit(row->values, tunables, facts);
    if (wrong.empty()) break;
    out.push_back(fmt::format("the heuristic's {} ({}) does not fit: {}",
                              configuration_text(row->values), short_place(row->where), wrong));
  }
  return out;
}

std::vector<Configuration> candidates_for(const Tunables& tunables, const CallFacts& facts) {
  return fitting(tunables.candidates, tunables, facts);
}

std::optional<Configuration> heuristic_configuration(const Tunables& tunables,
                                                     const CallFacts& facts) {
  std::vector<Configuration> some = fitting(tunables.heuristic, tunables, facts);
  if (some.empty()) some = candidates_for(tunables, facts);
  if (!some.empty()) return std::move(some.front());
  return tunables.candidates.empty() ? FirstAllowed(tunables, facts).behind({}) : std::nullopt;
}

namespace {

constexpr std::string_view words_in_python = R"(
import functools

def __getattr__(name):
    return functools.partial(getattr(MODULE, name), {})
)";

std::string python_value(const ParameterValue& value) {
  const std::string text = parameter_text(value);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  return std::holds_alternative<std::string>(value) && text != "None" ? "\"" + text + "\"" : text;
}

// Workers pass numbers alone: a module of its own binds words, for any function of the Solution.
Solution with_words(Solution solution, const Configuration& values) {
  constexpr const char* file = "kbench_configured.py";
  std::vector<std::string> bound;
  for (const auto& [name, value] : values)
    bound.push_back(fmt::format("{}={}", name, python_value(value)));
  const std::string entry = entry_symbol(solution);
  solution.sources.push_back(
      {file, python_that_loads(solution) + fmt::format(words_in_python, join(bound, ", "))});
  solution.spec.entry_point = fmt::format("{}::{}", file, entry);
  return solution;
}

}  // namespace

Solution with_configuration(Solution solution, const Tunables& tunables,
                            const Configuration& values) {
  ChosenConfiguration chosen;
  for (const Parameter& parameter : tunables.parameters) {
    const ParameterValue* const value = values.find(parameter.name);
    if (value == nullptr) continue;
    (parameter.kind == ParameterKind::define ? chosen.define : chosen.runtime)[parameter.name] =
        *value;
  }
  const bool has_words =
      std::any_of(chosen.runtime.begin(), chosen.runtime.end(),
                  [](const auto& one) { return std::holds_alternative<std::string>(one.second); });
  if (has_words) solution = with_words(std::move(solution), std::exchange(chosen.runtime, {}));
  solution.spec.configuration = std::move(chosen);
  return solution;
}

}  // namespace kbench
