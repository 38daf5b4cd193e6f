#include "registry/operator_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json.hpp"
#include "base/text.hpp"
#include "registry/scalar_type.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using json::Kind;
using Bound = BoundValue::Kind;

constexpr std::string_view tag_prefix = "op:";

std::optional<std::size_t> index_of(const OrderedMap<TensorSpec>& map, std::string_view name) {
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    if (map.items[i].first == name) return i;
  }
  return std::nullopt;
}

bool has_axis(const Definition& definition, std::string_view name) {
  return std::any_of(definition.axes.items.begin(), definition.axes.items.end(),
                     [&](const auto& axis) { return axis.first == name; });
}

// "[1,1]" → "1", "1"; "1" of a list with a size → that many.
std::vector<std::string> split_default(std::string_view text, const ops::Type& type) {
  std::vector<std::string> items;
  if (!text.starts_with('[')) {
    const auto size = type.modifiers.front().size;
    return std::vector<std::string>(static_cast<std::size_t>(size.value_or(1)), std::string(text));
  }
  const std::string_view inner = trim(text.substr(1, text.size() - 2));
  if (inner.empty()) return items;
  for (const std::string_view item : split(inner, ',')) items.emplace_back(trim(item));
  return items;
}

std::string without_quotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

class Binder {
 public:
  Binder(const Definition& definition, const ops::Schema& schema,
         std::vector<std::string>& problems)
      : definition_(definition), schema_(schema), problems_(problems) {}

  std::optional<OperatorBinding> bind() {
    read_given();
    OperatorBinding binding{schema_, {}};
    const auto arguments = ops::arguments_of(schema_);
    const std::size_t inputs = arguments.size() - schema_.out.size();
    for (std::size_t i = 0; i < arguments.size(); ++i)
      binding.values.push_back(i < inputs ? bind_input(*arguments[i])
                                          : bind_output(*arguments[i], i - inputs));
    check_results();
    check_unused(binding);
    return problems_.empty() ? std::optional(std::move(binding)) : std::nullopt;
  }

 private:
  void read_given() {
    if (!definition_.op_arguments) return;
    source_ = {"op_arguments", definition_.op_arguments->text};
    Diagnostics out;
    given_ = json::parse(source_, 0, source_.text.size(), memory_, out);
    if (!given_.is_object()) problems_.emplace_back("op_arguments must be a map");
    const auto arguments = ops::arguments_of(schema_);
    std::vector<std::string> names;
    for (const ops::Argument* argument : arguments) names.push_back(argument->name);
    for (const json::Member& member : given_.members) {
      if (std::find(names.begin(), names.end(), member.key) == names.end())
        problems_.push_back(fmt::format("op_arguments: {} has no argument \"{}\"; {}",
                                        ops::full_name(schema_.name), member.key,
                                        "its arguments are " + join(names, ", ")));
    }
  }

  BoundValue bind_input(const ops::Argument& argument) {
    if (const json::Value* given = given_.find(argument.name))
      return from_json(*given, argument.type, argument.name);
    if (const auto input = index_of(definition_.inputs, argument.name))
      return {Bound::input, *input, "", {}};
    if (argument.default_value) return from_default(*argument.default_value, argument.type);
    if (argument.type.is_optional()) return {};
    problems_.push_back(
        fmt::format("nothing is given to {} of {}: name an input so, or say it in op_arguments",
                    ops::text(argument), ops::full_name(schema_.name)));
    return {};
  }

  BoundValue bind_output(const ops::Argument& argument, std::size_t position) {
    if (const json::Value* given = given_.find(argument.name))
      return from_json(*given, argument.type, argument.name);
    if (const auto output = index_of(definition_.outputs, argument.name))
      return {Bound::output, *output, "", {}};
    if (position < definition_.outputs.items.size()) return {Bound::output, position, "", {}};
    problems_.push_back(fmt::format("{} has no output for {}", definition_.name, argument.name));
    return {};
  }

  BoundValue from_default(const std::string& text, const ops::Type& type) {
    if (text == "None") return {};
    if (!type.has_list()) return {Bound::constant, 0, without_quotes(text), {}};
    BoundValue list{Bound::list, 0, "", {}};
    for (std::string& item : split_default(text, type))
      list.items.push_back({Bound::constant, 0, without_quotes(item), {}});
    return list;
  }

  BoundValue from_json(const json::Value& value, const ops::Type& type, std::string_view name) {
    switch (value.kind) {
      case Kind::null:
        return {};
      case Kind::boolean:
        return {Bound::constant, 0, value.truth ? "True" : "False", {}};
      case Kind::integer:
      case Kind::number:
        return {Bound::constant, 0, std::string(value.text), {}};
      case Kind::string:
        return from_word(value.text, type, name);
      case Kind::array:
        break;
      default:
        problems_.push_back(fmt::format("op_arguments: {} cannot be given that", name));
        return {};
    }
    BoundValue list{Bound::list, 0, "", {}};
    for (const json::Value& item : value.items) list.items.push_back(from_json(item, type, name));
    return list;
  }

  // A str is given the word itself, a ScalarType that of its name; all else what has that name.
  BoundValue from_word(std::string_view word, const ops::Type& type, std::string_view name) {
    if (type.base == ops::BaseType::string) return {Bound::constant, 0, std::string(word), {}};
    if (const auto input = index_of(definition_.inputs, word))
      return {Bound::input, *input, "", {}};
    if (const auto output = index_of(definition_.outputs, word))
      return {Bound::output, *output, "", {}};
    if (has_axis(definition_, word)) return {Bound::axis, 0, std::string(word), {}};
    const ScalarTypeInfo* const scalar = find_scalar_type(word);
    if (type.base == ops::BaseType::scalar_type && scalar != nullptr)
      return {Bound::constant, 0, std::string(scalar->name), {}};
    problems_.push_back(
        fmt::format("op_arguments: {} is given \"{}\", which is no input, output or "
                    "axis of {}",
                    name, word, definition_.name));
    return {};
  }

  void check_results() {
    if (!schema_.out.empty() || schema_.returns.size() == definition_.outputs.items.size()) return;
    problems_.push_back(fmt::format("{} returns {}, {} has {}", ops::full_name(schema_.name),
                                    counted(schema_.returns.size(), "value"), definition_.name,
                                    counted(definition_.outputs.items.size(), "output")));
  }

  void mark(const BoundValue& value, std::vector<bool>& inputs, std::vector<bool>& outputs) {
    if (value.kind == Bound::input) inputs[value.index] = true;
    if (value.kind == Bound::output) outputs[value.index] = true;
    for (const BoundValue& item : value.items) mark(item, inputs, outputs);
  }

  // What the Definition passes must reach the operator: else another is computed.
  void check_unused(const OperatorBinding& binding) {
    std::vector<bool> inputs(definition_.inputs.items.size(), false);
    std::vector<bool> outputs(definition_.outputs.items.size(), schema_.out.empty());
    for (const BoundValue& value : binding.values) mark(value, inputs, outputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i])
        problems_.push_back(fmt::format("{} has no argument for the input {}",
                                        ops::full_name(schema_.name),
                                        definition_.inputs.items[i].first));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i])
        problems_.push_back(fmt::format("{} has no argument for the output {}",
                                        ops::full_name(schema_.name),
                                        definition_.outputs.items[i].first));
    }
  }

  const Definition& definition_;
  const ops::Schema& schema_;
  std::vector<std::string>& problems_;
  json::Memory memory_;
  Source source_;
  json::Value given_;
};

std::optional<TensorMeta> meta_of(const BoundValue& value, const Definition& definition) {
  if (value.kind == Bound::list)
    return value.items.empty() ? TensorMeta{{}, {}, true} : meta_of(value.items[0], definition);
  if (value.kind != Bound::input && value.kind != Bound::output) return TensorMeta{{}, {}, true};
  const auto& map = value.kind == Bound::input ? definition.inputs : definition.outputs;
  const TensorSpec& spec = map.items[value.index].second;
  const ScalarTypeInfo* const type = find_scalar_type(spec.dtype);
  if (type == nullptr) return std::nullopt;
  std::vector<int> dims(spec.shape ? spec.shape->size() : 0);
  std::iota(dims.begin(), dims.end(), 0);
  return TensorMeta{type->code, std::move(dims), false};
}

}  // namespace

std::vector<std::string> linked_operators(const Definition& definition) {
  std::vector<std::string> names;
  for (const std::string& tag : definition.tags) {
    if (tag.starts_with(tag_prefix)) names.push_back(ops::full_name(tag.substr(tag_prefix.size())));
  }
  return names;
}

bool is_linked_to(const Definition& definition, const std::string& op) {
  const std::vector<std::string> names = linked_operators(definition);
  return std::find(names.begin(), names.end(), op) != names.end();
}

std::optional<OperatorBinding> bind_operator(const Definition& definition,
                                             const ops::Schema& schema,
                                             std::vector<std::string>& problems) {
  return Binder(definition, schema, problems).bind();
}

std::optional<KernelKey> key_of(const OperatorBinding& binding, const Definition& definition) {
  KernelKey key;
  const auto arguments = ops::arguments_of(binding.schema);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->type.base != ops::BaseType::tensor) continue;
    auto meta = meta_of(binding.values[i], definition);
    if (!meta) return std::nullopt;
    key.push_back(std::move(*meta));
  }
  return key;
}

}  // namespace kbench
