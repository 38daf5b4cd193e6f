#include "schema/solution.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

bool is_compiled(const Solution& solution) {
  return solution.spec.language == Language::cpp || solution.spec.language == Language::cuda;
}

bool is_name(std::string_view symbol) {
  return std::all_of(symbol.begin(), symbol.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// Tells whether a symbol can be a kernel, also an instance of a template: "scale<float, 4>".
bool is_kernel_name(std::string_view symbol) {
  const auto arguments = symbol.find('<');
  const bool is_whole = arguments == symbol.npos || symbol.back() == '>';
  return is_whole && is_name(symbol.substr(0, arguments)) &&
         symbol.find_first_of(";{}\n") == symbol.npos;
}

}  // namespace

std::string entry_source(const Solution& solution) {
  const std::string& entry = solution.spec.entry_point;
  return entry.substr(0, entry.find("::"));
}

std::string entry_symbol(const Solution& solution) {
  const std::string& entry = solution.spec.entry_point;
  const auto at = entry.find("::");
  return at == std::string::npos ? "" : entry.substr(at + 2);
}

std::string entry_problem(const Solution& solution) {
  const std::string symbol = entry_symbol(solution);
  if (symbol.empty())
    return fmt::format("entry_point \"{}\" names no function", solution.spec.entry_point);
  if (!is_compiled(solution) && !entry_source(solution).ends_with(".py")) {
    return fmt::format("entry_point \"{}\": \"{}\" is no Python file", solution.spec.entry_point,
                       entry_source(solution));
  }
  if (solution.spec.launch ? is_kernel_name(symbol) : !is_compiled(solution) || is_name(symbol))
    return "";
  return fmt::format("entry_point \"{}\": \"{}\" is no name of a function",
                     solution.spec.entry_point, symbol);
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
