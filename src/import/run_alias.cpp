#include "import/run_alias.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kbench {
namespace {

using python::Function;
using python::Parameter;
using Kind = Parameter::Kind;

const ReferenceInput* input_for(std::string_view parameter,
                                std::span<const ReferenceInput> inputs) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const ReferenceInput& input) {
    return input.parameter == parameter;
  });
  return found == inputs.end() ? nullptr : &*found;
}

bool is_named(const Parameter& parameter) {
  return parameter.kind == Kind::positional || parameter.kind == Kind::keyword_only;
}

// The first parameter that must be given and is no input, "" when there is none.
std::string lacking(const Function& function, std::span<const ReferenceInput> inputs) {
  for (const Parameter& parameter : function.parameters) {
    if (is_named(parameter) && !parameter.has_default && !input_for(parameter.name, inputs))
      return parameter.name;
  }
  return "";
}

// The names of functions that another function of the module speaks of.
std::vector<std::string_view> helpers(std::string_view text, const python::Module& module) {
  std::vector<std::string_view> found;
  const auto tokenized = python::tokenize(text);
  const auto* tokens = std::get_if<std::vector<python::Token>>(&tokenized);
  if (tokens == nullptr) return found;
  for (const python::Token& token : *tokens) {
    if (token.kind != python::TokenKind::name) continue;
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    for (const Function& function : module.functions) {
      const bool inside = token.begin >= function.body_begin && token.begin < function.end;
      if (inside && function.name != word) found.push_back(word);
    }
  }
  return found;
}

}  // namespace

MeantFunction meant_function(std::string_view reference, const python::Module& module,
                             std::span<const ReferenceInput> inputs) {
  const std::vector<std::string_view> called = helpers(reference, module);
  std::vector<const Function*> fitting;
  std::string reason = "the reference defines no function";
  for (const Function& function : module.functions) {
    const bool helper = std::find(called.begin(), called.end(), function.name) != called.end();
    if (helper || function.is_async) continue;
    const std::string name = lacking(function, inputs);
    if (name.empty()) {
      fitting.push_back(&function);
    } else {
      reason = fmt::format("{}() needs \"{}\", which is no input", function.name, name);
    }
  }
  if (fitting.size() == 1) return {fitting.front(), ""};
  if (fitting.empty()) return {nullptr, reason};
  std::vector<std::string> names;
  for (const Function* function : fitting) names.push_back(function->name);
  return {nullptr, "each of these could be meant: " + join(names, ", ")};
}

bool can_do_without(const Function& function, std::string_view parameter) {
  const auto found =
      std::find_if(function.parameters.begin(), function.parameters.end(),
                   [&](const Parameter& one) { return is_named(one) && one.name == parameter; });
  return found == function.parameters.end() || found->has_default;
}

RunAlias run_alias(const Function& function, std::span<const ReferenceInput> inputs) {
  std::vector<std::string> arguments;
  std::vector<std::string_view> taken;
  bool by_name = false;
  bool takes_all = false;
  for (const Parameter& parameter : function.parameters) {
    if (parameter.kind == Kind::var_keyword) takes_all = true;
    if (parameter.kind != Kind::positional) by_name = true;
    if (!is_named(parameter)) continue;
    const ReferenceInput* input = input_for(parameter.name, inputs);
    if (input == nullptr) {
      by_name = true;
      continue;
    }
    arguments.push_back(by_name ? parameter.name + "=" + input->name : input->name);
    taken.push_back(input->name);
  }
  RunAlias alias;
  std::vector<std::string> names;
  for (const ReferenceInput& input : inputs) {
    names.push_back(input.name);
    if (std::find(taken.begin(), taken.end(), input.name) != taken.end()) continue;
    if (takes_all) {
      arguments.push_back(input.parameter + "=" + input.name);
    } else {
      alias.ignored.push_back(input.name);
    }
  }
  alias.text = fmt::format("def run({}):\n    return {}({})\n", join(names, ", "), function.name,
                           join(arguments, ", "));
  return alias;
}

}  // namespace kbench
