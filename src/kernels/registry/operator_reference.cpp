#include "kernels/registry/operator_reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/registry/scalar_type.hpp"

namespace kbench {
namespace {

using Bound = BoundValue::Kind;
using ops::BaseType;

std::string parameters_of_run(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : definition.inputs) names.push_back(name);
  return join(names, ", ");
}

// The length of an axis, as run() can read it.
std::string axis_in_python(const Definition& definition, const std::string& axis) {
  if (const Axis* const known = definition.axes.find(axis)) {
    if (const auto value = const_value(*known)) return std::to_string(*value);
  }
  for (const auto& [name, spec] : definition.inputs) {
    if (!spec.shape) continue;
    const auto found = std::find(spec.shape->begin(), spec.shape->end(), axis);
    if (found != spec.shape->end())
      return fmt::format("{}.shape[{}]", name, found - spec.shape->begin());
  }
  return "";
}

std::string word_in_python(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// "inf" and "nan" are words of the module torch; other numbers stand as they are.
std::string number_in_python(const std::string& text) {
  const std::size_t word = text.find_first_of("in");
  return word == std::string::npos ? text : text.substr(0, word) + "torch." + text.substr(word);
}

std::string constant_in_python(const std::string& text, BaseType type) {
  if (type == BaseType::string) return word_in_python(text);
  if (type != BaseType::scalar_type)
    return text == "True" || text == "False" ? text : number_in_python(text);
  const ScalarTypeInfo* const scalar = find_scalar_type(text);
  const bool is_known = scalar != nullptr && scalar->dtype();
  return is_known ? fmt::format("torch.{}", info(*scalar->dtype()).name) : "";
}

// One value as Python writes it; "" where it cannot.
std::string in_python(const Definition& definition, const BoundValue& value, BaseType type) {
  switch (value.kind) {
    case Bound::none:
      return "None";
    case Bound::input:
      return definition.inputs.items[value.index].first;
    case Bound::output:
      return "";
    case Bound::axis:
      return axis_in_python(definition, value.text);
    case Bound::constant:
      return constant_in_python(value.text, type);
    case Bound::list:
      break;
  }
  std::vector<std::string> items;
  for (const BoundValue& item : value.items) items.push_back(in_python(definition, item, type));
  const bool is_lost = std::find(items.begin(), items.end(), "") != items.end();
  return is_lost ? "" : fmt::format("[{}]", join(items, ", "));
}

}  // namespace

std::string operator_reference(const Definition& definition, const OperatorBinding& binding,
                               std::string& why) {
  const ops::Schema& schema = binding.schema;
  std::vector<std::string> words;
  bool by_name = false;
  const auto arguments = ops::arguments_of(schema);
  const std::size_t count = schema.positional.size() + schema.keyword_only.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ops::Argument& argument = *arguments[i];
    const BoundValue& value = binding.values[i];
    by_name = by_name || i >= schema.positional.size();
    // How an output lies in memory says nothing of what is in it.
    const bool is_left_out = value.is_default || argument.type.base == BaseType::memory_format;
    by_name = by_name || is_left_out;
    if (is_left_out) continue;
    const std::string text = in_python(definition, value, argument.type.base);
    if (text.empty()) why = fmt::format("no Python is known for the argument {}", argument.name);
    words.push_back(by_name ? fmt::format("{}={}", argument.name, text) : text);
  }
  if (!why.empty()) return "";
  return fmt::format("import torch\n\ndef run({}):\n    return torch.ops.aten.{}({})\n",
                     parameters_of_run(definition), schema.name.base, join(words, ", "));
}

std::string unwritten_reference(const Definition& definition, const std::string& why) {
  return fmt::format("import torch\n\ndef run({}):\n    raise NotImplementedError(\"{}\")\n",
                     parameters_of_run(definition), why);
}

}  // namespace kbench
