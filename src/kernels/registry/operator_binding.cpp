#include "kernels/registry/operator_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "kernels/registry/operator_arguments.hpp"
#include "schema/names.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

using json::Kind;
using Bound = BoundValue::Kind;

constexpr std::string_view tag_prefix = "op:";

std::optional<std::size_t> index_of(const OrderedMap<TensorSpec>& map, std::string_view name) {
  for (std::size_t i = 0; i < map.items.size(); ++i)
    if (map.items[i].first == name) return i;
  return std::nullopt;
}

bool has_axis(const Definition& definition, std::string_view name) {
  return std::any_of(definition.axes.items.begin(), definition.axes.items.end(),
                     [&](const auto& axis) { return axis.first == name; });
}

// Axes of no tensor have a length that nothing tells a kernel.
bool is_of_a_tensor(const Definition& definition, const std::string& axis) {
  const auto has = [&](const auto& tensor) {
    const auto& shape = tensor.second.shape;
    return shape && std::find(shape->begin(), shape->end(), axis) != shape->end();
  };
  return const_value(*definition.axes.find(axis)) ||
         std::any_of(definition.inputs.begin(), definition.inputs.end(), has) ||
         std::any_of(definition.outputs.begin(), definition.outputs.end(), has);
}

// Splits "[1,1]" into "1", "1"; "1" of a list with a size becomes that many.
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

bool is_list(const ops::Modifier& modifier) { return modifier.kind == ops::Modifier::Kind::list; }

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
    if (const json::Value* given = given_.find(argument.name)) return from_json(*given, argument);
    if (const auto input = index_of(definition_.inputs, argument.name))
      return checked({Bound::input, *input, "", {}}, argument, argument.type.modifiers.size());
    if (argument.default_value) {
      BoundValue value = from_default(*argument.default_value, argument);
      value.is_default = true;
      return value;
    }
    if (argument.type.is_optional()) return {};
    problems_.push_back(
        fmt::format("nothing is given to {} of {}: name an input so, or say it in op_arguments",
                    ops::text(argument), ops::full_name(schema_.name)));
    return {};
  }

  BoundValue bind_output(const ops::Argument& argument, std::size_t position) {
    if (const json::Value* given = given_.find(argument.name)) return from_json(*given, argument);
    if (const auto output = index_of(definition_.outputs, argument.name))
      return checked({Bound::output, *output, "", {}}, argument, argument.type.modifiers.size());
    if (position < definition_.outputs.items.size())
      return checked({Bound::output, position, "", {}}, argument, argument.type.modifiers.size());
    problems_.push_back(fmt::format("{} has no output for {}", definition_.name, argument.name));
    return {};
  }

  BoundValue from_default(const std::string& text, const ops::Argument& argument) {
    if (text == "None") return {};
    const ops::Type& type = argument.type;
    if (!type.has_list()) return constant_default(text, argument);
    BoundValue list{Bound::list, 0, "", {}};
    for (const std::string& item : split_default(text, type))
      list.items.push_back(constant_default(item, argument));
    return list;
  }

  BoundValue constant_default(const std::string& text, const ops::Argument& argument) {
    auto constant = default_constant(text, argument.type.base);
    if (constant) return {Bound::constant, 0, *std::move(constant), {}};
    problems_.push_back(
        fmt::format("the default {} of {} is none that kbench knows: say it in "
                    "op_arguments",
                    text, ops::text(argument)));
    return {};
  }

  BoundValue from_json(const json::Value& value, const ops::Argument& argument) {
    return from_json(value, argument, argument.type.modifiers.size());
  }

  // Reads a value; `depth` modifiers of its type are still to be read.
  BoundValue from_json(const json::Value& value, const ops::Argument& argument, std::size_t depth) {
    if (depth == 0) return one_from_json(value, argument, depth);
    const ops::Modifier& outer = argument.type.modifiers[depth - 1];
    if (!is_list(outer))
      return value.kind == Kind::null ? BoundValue{} : from_json(value, argument, depth - 1);
    if (value.kind != Kind::array && outer.size) return repeated(value, argument, depth);
    if (value.kind != Kind::array) return one_from_json(value, argument, depth);
    if (outer.size && value.items.size() != static_cast<std::size_t>(*outer.size))
      problems_.push_back(fmt::format("op_arguments: {} is given {}, and {} has {}", argument.name,
                                      counted(value.items.size(), "value"),
                                      ops::text(argument.type), *outer.size));
    BoundValue list{Bound::list, 0, "", {}};
    for (const json::Value& item : value.items)
      list.items.push_back(from_json(item, argument, depth - 1));
    return list;
  }

  // Repeats one value for all of a list with a size, as PyTorch does.
  BoundValue repeated(const json::Value& value, const ops::Argument& argument, std::size_t depth) {
    const auto size = static_cast<std::size_t>(*argument.type.modifiers[depth - 1].size);
    const BoundValue one = from_json(value, argument, depth - 1);
    return {Bound::list, 0, "", std::vector<BoundValue>(size, one)};
  }

  // Words name a part of the Definition, before constants of that name; a str is the word itself.
  BoundValue one_from_json(const json::Value& value, const ops::Argument& argument,
                           std::size_t depth) {
    const bool is_text = argument.type.base == ops::BaseType::string;
    if (value.is_string() && !is_text)
      if (auto named = named_value(value.text)) return checked(*std::move(named), argument, depth);
    auto constant = depth == 0 ? constant_of(value, argument.type.base) : std::nullopt;
    if (constant) return {Bound::constant, 0, *std::move(constant), {}};
    const bool is_word = value.is_string() && !is_text && depth == 0;
    problems_.push_back(fmt::format(
        "op_arguments: {} is given {}, which is no {}{}", argument.name, shown_constant(value),
        is_word ? "input, output or axis of " + definition_.name + ", and no " : "",
        plain_text(argument.type, depth)));
    return {};
  }

  std::optional<BoundValue> named_value(std::string_view word) {
    if (const auto input = index_of(definition_.inputs, word))
      return BoundValue{Bound::input, *input, "", {}};
    if (const auto output = index_of(definition_.outputs, word))
      return BoundValue{Bound::output, *output, "", {}};
    if (has_axis(definition_, word)) return BoundValue{Bound::axis, 0, std::string(word), {}};
    return std::nullopt;
  }

  // Returns the text of the type with only the `depth` modifiers that have not been read yet.
  static std::string plain_text(ops::Type type, std::size_t depth) {
    type.modifiers.resize(depth);
    return ops::text(type);
  }

  // Returns a part of the Definition, where it fits the argument.
  BoundValue checked(BoundValue value, const ops::Argument& argument, std::size_t depth) {
    const auto& modifiers = argument.type.modifiers;
    while (depth > 0 && !is_list(modifiers[depth - 1])) --depth;
    if (depth == 0 && may_be(value, argument.type.base)) return value;
    problems_.push_back(fmt::format("{} of {} is no {}", text_of(value), definition_.name,
                                    plain_text(argument.type, depth)));
    return {};
  }

  bool may_be(const BoundValue& value, ops::BaseType type) const {
    const bool is_integer = type == ops::BaseType::integer || type == ops::BaseType::sym_int;
    const bool is_number =
        is_integer || type == ops::BaseType::floating || type == ops::BaseType::scalar;
    if (value.kind == Bound::axis) return is_number && is_of_a_tensor(definition_, value.text);
    const TensorSpec& spec = spec_of(value);
    if (spec.shape) return type == ops::BaseType::tensor;
    if (spec.dtype == DType::boolean)
      return type == ops::BaseType::boolean || type == ops::BaseType::scalar;
    return is_number && !(is_integer && info(spec.dtype).significand > 0);
  }

  const TensorSpec& spec_of(const BoundValue& value) const {
    const auto& map = value.kind == Bound::input ? definition_.inputs : definition_.outputs;
    return map.items[value.index].second;
  }

  std::string text_of(const BoundValue& value) const {
    if (value.kind == Bound::axis)
      return fmt::format("the axis {}{}", value.text,
                         is_of_a_tensor(definition_, value.text) ? "" : " (of no tensor)");
    const auto& map = value.kind == Bound::input ? definition_.inputs : definition_.outputs;
    const TensorSpec& spec = spec_of(value);
    return fmt::format("the {} {} ({}{})", value.kind == Bound::input ? "input" : "output",
                       map.items[value.index].first, spec.shape ? "a tensor of " : "one ",
                       info(spec.dtype).name);
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

  // Inputs and outputs of the Definition must all reach the operator: else another is computed.
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

std::optional<std::string> linked_operator(const Definition& definition) {
  for (const std::string& tag : definition.tags)
    if (tag.starts_with(tag_prefix)) return ops::full_name(tag.substr(tag_prefix.size()));
  return std::nullopt;
}

bool is_linked_to(const Definition& definition, const std::string& op) {
  return linked_operator(definition) == op;
}

Where place_of_link(const Stored<Definition>& stored, bool is_of_arguments) {
  const Source source{stored.path, read_file_if_there(stored.path).value_or("")};
  const Place place(source);
  if (is_of_arguments && stored.record.op_arguments) return place.value("/op_arguments");
  const std::vector<std::string>& tags = stored.record.tags;
  const auto tag = std::find_if(tags.begin(), tags.end(),
                                [](const auto& one) { return one.starts_with(tag_prefix); });
  return place.value(fmt::format("/tags/{}", tag - tags.begin()));
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
