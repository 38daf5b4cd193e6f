#include "schema/solution.hpp"

#include "base/digest.hpp"
#include "schema/names.hpp"

namespace kbench {

std::string entry_source(const Solution& solution) {
  const std::string& entry = solution.spec.entry_point;
  return entry.substr(0, entry.find("::"));
}

std::string entry_symbol(const Solution& solution) {
  const std::string& entry = solution.spec.entry_point;
  const auto at = entry.find("::");
  return at == std::string::npos ? "" : entry.substr(at + 2);
}

std::string solution_hash(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  std::string text = solution.definition;
  text += name_of(spec.language);
  text += spec.entry_point;
  if (spec.binding) text += name_of(*spec.binding);
  for (const std::string& dependency : spec.dependencies) text += dependency;
  for (const SourceFile& source : solution.sources) text += source.path + source.content;
  return sha1_hex(text);
}

}  // namespace kbench
