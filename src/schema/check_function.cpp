#include "schema/check_function.hpp"

#include <algorithm>
#include <variant>

#include "syntax/called.hpp"

namespace kbench {
namespace {

bool is_known(const Definition& definition, std::string_view name) {
  if (definition.inputs.contains(name) || definition.outputs.contains(name)) return true;
  return name.starts_with(expected_prefix) &&
         definition.outputs.contains(name.substr(expected_prefix.size()));
}

void add_parameter(const Definition& definition, const python::Parameter& parameter,
                   CheckFunction& out) {
  using Kind = python::Parameter::Kind;
  const bool is_rest =
      parameter.kind == Kind::var_positional || parameter.kind == Kind::var_keyword;
  if (!is_rest && is_known(definition, parameter.name)) {
    out.arguments.push_back(parameter.name);
    if (definition.outputs.contains(parameter.name)) out.outputs.push_back(parameter.name);
  } else if (!is_rest && !parameter.has_default) {
    out.unknown.push_back(parameter.name);
  }
}

// It may take no output.
std::optional<CheckFunction> function_check(const Definition& definition,
                                            const python::Module& module) {
  // As in Python, of two functions with one name the last counts.
  const auto found = std::find_if(module.functions.rbegin(), module.functions.rend(),
                                  [](const python::Function& f) { return f.name == "check"; });
  if (found == module.functions.rend()) return std::nullopt;
  CheckFunction out;
  out.def_begin = found->def_begin;
  const std::string_view before = std::string_view(definition.reference).substr(0, out.def_begin);
  out.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  out.begin = found->begin;
  out.end = found->end;
  for (const python::Parameter& parameter : found->parameters)
    add_parameter(definition, parameter, out);
  return out;
}

std::optional<CheckFunction> function_check(const Definition& definition) {
  // Most have none, and need not be parsed for that.
  if (definition.reference.find("check") == std::string::npos) return std::nullopt;
  const auto parsed = python::parse_module(definition.reference);
  const auto* module = std::get_if<python::Module>(&parsed);
  return module == nullptr ? std::nullopt : function_check(definition, *module);
}

// Nothing where it takes no output.
std::optional<CheckFunction> judging(std::optional<CheckFunction> function) {
  return function && !function->outputs.empty() ? function : std::nullopt;
}

std::string without(const CheckFunction& check, const Definition& definition) {
  std::string text = definition.reference;
  return text.erase(check.begin, check.end - check.begin);
}

}  // namespace

std::optional<CheckFunction> find_check(const Definition& definition,
                                        const python::Module& module) {
  return judging(function_check(definition, module));
}

std::optional<CheckFunction> find_check(const Definition& definition) {
  return judging(function_check(definition));
}

std::optional<CheckFunction> find_idle_check(const Definition& definition) {
  auto function = function_check(definition);
  const bool is_idle = function && function->outputs.empty() &&
                       !python::Calls(without(*function, definition)).any("check");
  return is_idle ? function : std::nullopt;
}

std::string text_without_check(const Definition& definition) {
  const auto check = find_check(definition);
  return check ? without(*check, definition) : definition.reference;
}

}  // namespace kbench
