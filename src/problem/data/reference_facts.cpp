#include "problem/data/reference_facts.hpp"

#include "problem/bind.hpp"
#include "problem/data/reference_reader.hpp"
#include "problem/data/reference_text.hpp"
#include "schema/check_function.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

void read_defaults(const Definition& definition, ReferenceFacts& facts) {
  const auto parsed = python::parse_module(definition.reference);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr) return;
  for (const python::Function& function : module->functions) {
    if (function.name != "run") continue;
    for (const python::Parameter& parameter : function.parameters) {
      if (parameter.has_default)
        facts.defaults[parameter.name] = std::string(parameter.default_value);
    }
  }
}

}  // namespace

const InputUse& ReferenceFacts::use(const std::string& input) const {
  static const InputUse none;
  const auto found = uses.find(input);
  return found == uses.end() ? none : found->second;
}

std::string mirrored(const std::string& op) {
  if (op == "<" || op == "<=") return op == "<" ? ">" : ">=";
  if (op == ">" || op == ">=") return op == ">" ? "<" : "<=";
  return op;
}

ReferenceFacts reference_facts(const Definition& definition) {
  ReferenceFacts facts;
  ReferenceReader(definition, facts).read(reference_statements(text_without_check(definition)));
  read_defaults(definition, facts);
  return facts;
}

ConstraintScope with_local_names(ConstraintScope outer, const ReferenceFacts& facts) {
  ConstraintScope scope = outer;
  scope.number = [outer, &facts](std::string_view name) -> std::optional<Number> {
    if (const auto value = outer.number(name)) return value;
    const auto local = facts.sizes.find(std::string(name));
    return local == facts.sizes.end() ? std::nullopt : size_value(local->second, outer);
  };
  return scope;
}

ConstraintScope scope_of(const Problem& problem, const ReferenceFacts& facts) {
  return with_local_names(scope_of(problem), facts);
}

}  // namespace kbench
