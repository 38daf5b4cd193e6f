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

int line_of(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

// Returns the function, even one that takes no output.
std::optional<CheckFunction> function_check(const Definition& definition,
                                            const python::Module& module) {
  // Python lets the last of two functions with one name count.
  const auto found = std::find_if(module.functions.rbegin(), module.functions.rend(),
                                  [](const python::Function& f) { return f.name == "check"; });
  if (found == module.functions.rend()) return std::nullopt;
  CheckFunction out;
  out.def_begin = found->def_begin;
  out.line = line_of(definition.reference, out.def_begin);
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

// Returns nothing where the function takes no output.
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

namespace {

// Recognises "check = lambda …" and "check: Any = …".
bool is_assignment_to_check(std::string_view statement) {
  if (!statement.starts_with("check")) return false;
  const auto after = statement.find_first_not_of(" \t", 5);
  if (after == statement.npos || statement.substr(after, 2) == "==") return false;
  return statement[after] == '=' || statement[after] == ':';
}

std::optional<IdleCheck> assigned_check(const Definition& definition) {
  const std::string& text = definition.reference;
  if (text.find("check") == std::string::npos) return std::nullopt;
  const auto parsed = python::parse_module(text);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr || python::Calls(text).any("check")) return std::nullopt;
  for (const python::Statement& one : module->statements) {
    if (!one.keyword.empty() ||
        !is_assignment_to_check(std::string_view(text).substr(one.begin, one.end - one.begin)))
      continue;
    return IdleCheck{one.begin, line_of(text, one.begin),
                     "check is no function that is defined by def, so that it judges nothing",
                     "write it as: def check(…): docs/verdict.md"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<IdleCheck> find_idle_check(const Definition& definition) {
  const auto function = function_check(definition);
  if (!function) return assigned_check(definition);
  const bool is_idle =
      function->outputs.empty() && !python::Calls(without(*function, definition)).any("check");
  if (!is_idle) return std::nullopt;
  return IdleCheck{function->def_begin, function->line,
                   "check() takes no output, so that it judges none",
                   "its parameters are names of inputs and outputs: docs/verdict.md"};
}

std::string text_without_check(const Definition& definition) {
  const auto check = find_check(definition);
  return check ? without(*check, definition) : definition.reference;
}

}  // namespace kbench
