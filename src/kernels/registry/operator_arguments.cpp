#include "kernels/registry/operator_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

using json::Kind;
using ops::BaseType;

struct NamedNumber {
  std::string_view name;
  std::string_view number;
};
// Source: PyTorch, ATen/core/Reduction.h and c10/core/MemoryFormat.h.
constexpr NamedNumber reductions[] = {{"Mean", "1"}, {"Sum", "2"}};
constexpr NamedNumber memory_formats[] = {{"contiguous_format", "0"},
                                          {"preserve_format", "1"},
                                          {"channels_last", "2"},
                                          {"channels_last_3d", "3"}};

template <std::size_t count>
std::optional<std::string> number_of(std::string_view word, const NamedNumber (&all)[count]) {
  const auto found = std::find_if(std::begin(all), std::end(all),
                                  [&](const NamedNumber& one) { return one.name == word; });
  return found == std::end(all) ? std::nullopt : std::optional(std::string(found->number));
}

bool is_memory_format(std::string_view number) {
  return std::any_of(std::begin(memory_formats), std::end(memory_formats),
                     [&](const NamedNumber& one) { return one.number == number; });
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_good = error == std::errc() && end == text.data() + text.size();
  return is_good ? std::optional(value) : std::nullopt;
}

std::optional<std::string> floating_of(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0') return std::nullopt;
  const bool is_word = lower(copy).find('n') != std::string::npos;  // inf, nan
  if (!is_word && !std::isfinite(value)) return std::nullopt;
  const bool is_decimal = copy.find_first_not_of("0123456789+-.eE") == std::string::npos;
  return is_decimal ? copy : fmt::format("{}", value);
}

std::optional<std::string> scalar_type_of(const ScalarTypeInfo* type) {
  return type == nullptr ? std::nullopt : std::optional(std::string(type->name));
}

// Reads "Long", "int64", and "long" as schemas write it.
std::optional<std::string> scalar_type_named(std::string_view word) {
  if (const ScalarTypeInfo* const type = find_scalar_type(word)) return scalar_type_of(type);
  for (const ScalarTypeInfo& type : scalar_types())
    if (lower(std::string(type.name)) == word) return std::string(type.name);
  return std::nullopt;
}

std::optional<std::string> integer_text(std::string_view text) {
  return integer_of(text) ? std::optional(std::string(text)) : std::nullopt;
}

// Reads the numbers by which PyTorch counts types.
std::optional<std::string> scalar_type_numbered(std::string_view text) {
  const auto code = integer_of(text);
  if (!code || *code < 0 || *code > INT8_MAX) return std::nullopt;
  return scalar_type_of(find_scalar_type(static_cast<int>(*code)));
}

std::optional<std::string> number_for(std::string_view text, BaseType type) {
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string_view::npos;
  switch (type) {
    case BaseType::integer:
    case BaseType::sym_int:
      return integer_text(text);
    case BaseType::floating:
      return floating_of(text);
    case BaseType::scalar:
      return is_whole ? integer_text(text) : floating_of(text);
    case BaseType::scalar_type:
      return scalar_type_numbered(text);
    case BaseType::memory_format:
      return is_memory_format(text) ? std::optional(std::string(text)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> word_for(std::string_view word, BaseType type) {
  switch (type) {
    case BaseType::integer:
    case BaseType::sym_int:
      return number_of(word, reductions);
    case BaseType::floating:
    case BaseType::scalar:
      return is_one_of(word, {"inf", "-inf", "nan"}) ? std::optional(std::string(word))
                                                     : std::nullopt;
    case BaseType::scalar_type:
      return scalar_type_named(word);
    case BaseType::memory_format:
      return number_of(word, memory_formats);
    case BaseType::string:
      return std::string(word);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> truth_for(bool value, BaseType type) {
  if (type != BaseType::boolean && type != BaseType::scalar) return std::nullopt;
  return value ? "True" : "False";
}

}  // namespace

std::optional<std::string> constant_of(const json::Value& value, BaseType type) {
  switch (value.kind) {
    case Kind::boolean:
      return truth_for(value.truth, type);
    case Kind::integer:
    case Kind::number:
      return number_for(value.text, type);
    case Kind::string:
      return word_for(value.text, type);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> default_constant(std::string_view text, BaseType type) {
  if (text == "True" || text == "False") return truth_for(text == "True", type);
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  if (is_quoted) return word_for(text.substr(1, text.size() - 2), type);
  const auto number = number_for(text, type);
  return number ? number : word_for(text, type);
}

std::string shown_constant(const json::Value& value) {
  switch (value.kind) {
    case Kind::boolean:
      return value.truth ? "true" : "false";
    case Kind::integer:
    case Kind::number:
      return std::string(value.text);
    case Kind::string:
      return fmt::format("\"{}\"", value.text);
    case Kind::null:
      return "null";
    default:
      return value.kind == Kind::array ? "a list" : "a map";
  }
}

namespace {

using Bound = BoundValue::Kind;

std::string parameters_of_run(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : definition.inputs) names.push_back(name);
  return join(names, ", ");
}

// Returns the length of an axis, as run() can read it.
std::string axis_in_python(const Definition& definition, const std::string& axis) {
  if (const Axis* const known = definition.axes.find(axis))
    if (const auto value = const_value(*known)) return std::to_string(*value);
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

// Writes one value in Python; "" where it cannot.
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
    // Memory formats of an output do not change its values.
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
