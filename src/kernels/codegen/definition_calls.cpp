#include "kernels/codegen/definition_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/operators/rules.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

using Bound = BoundValue::Kind;
using ops::BaseType;

// Returns the code for an axis: its length, of a const axis, or else the place where it is bound,
// as "t[0].sizes[1]".
std::string axis_text(const Definition& definition, const std::string& name) {
  if (const Axis* axis = definition.axes.find(name))
    if (const auto value = const_value(*axis)) return std::to_string(*value);
  std::size_t tensor = 0;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [input, spec] : *map) {
      if (!spec.shape) continue;
      const auto found = std::find(spec.shape->begin(), spec.shape->end(), name);
      if (found != spec.shape->end())
        return fmt::format("t[{}].sizes[{}]", tensor, found - spec.shape->begin());
      ++tensor;
    }
  }
  return "0";
}

// Returns the number of an input among the tensors: scalars are parameters of the call.
std::size_t tensor_index(const Definition& definition, std::size_t input) {
  std::size_t index = 0;
  for (std::size_t i = 0; i < input; ++i)
    index += definition.inputs.items[i].second.shape.has_value();
  return index;
}

std::size_t count_tensors(const Definition& definition) {
  return tensor_index(definition, definition.inputs.size());
}

bool is_scalar_input(const Definition& definition, const BoundValue& value) {
  return value.kind == Bound::input && !definition.inputs.items[value.index].second.shape;
}

bool holds_input(const BoundValue& value) {
  return value.kind == Bound::input ||
         std::any_of(value.items.begin(), value.items.end(), &holds_input);
}

// Body of one call: tensors t0…, arrays for lists, and the call itself.
class CallWriter {
 public:
  CallWriter(const Definition& definition, const OperatorBinding& binding)
      : definition_(definition), binding_(binding) {}

  std::string text(const std::string& symbol) {
    const auto arguments = ops::arguments_of(binding_.schema);
    std::string call = fmt::format("::{}(context", symbol);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      call += ", " + value_text(binding_.values[i], arguments[i]->type.modifiers.size(),
                                arguments[i]->type);
    return declarations() + result_text(call + ")");
  }

 private:
  std::string declarations() const {
    std::string out;
    const std::size_t tensors = count_tensors(definition_) + definition_.outputs.size();
    for (std::size_t i = 0; i < tensors; ++i) out += fmt::format("    Tensor t{0}(&t[{0}]);\n", i);
    return out + lists_;
  }

  std::string result_text(const std::string& call) {
    const ops::Schema& schema = binding_.schema;
    if (schema.returns.empty() || schema.out.empty())
      return fmt::format("    {};\n    return true;\n", call);
    std::vector<std::string> outputs;
    const auto values = binding_.values;
    for (std::size_t i = values.size() - schema.out.size(); i < values.size(); ++i)
      outputs.push_back("&" + tensor_text(values[i]));
    outputs.resize(std::min(outputs.size(), schema.returns.size()));
    return fmt::format("    return returns({}, {{{}}});\n", call, join(outputs, ", "));
  }

  std::string tensor_text(const BoundValue& value) const {
    const bool is_input = value.kind == Bound::input;
    const std::size_t index = is_input ? tensor_index(definition_, value.index)
                                       : count_tensors(definition_) + value.index;
    return fmt::format("t{}", index);
  }

  // Writes a value; `depth` modifiers of the type are still to be written.
  std::string value_text(const BoundValue& value, std::size_t depth, const ops::Type& type) {
    if (depth > 0 && type.modifiers[depth - 1].kind == ops::Modifier::Kind::optional)
      return value.kind == Bound::none ? "std::nullopt" : value_text(value, depth - 1, type);
    if (depth > 0) return list_text(value, depth, type);
    if (value.kind == Bound::axis) return as_type(axis_text(definition_, value.text), type);
    if (value.kind == Bound::constant) return constant_text(value.text, type);
    const bool is_scalar = is_scalar_input(definition_, value);
    return is_scalar ? as_type(fmt::format("p{}", value.index), type) : tensor_text(value);
  }

  static std::string as_type(const std::string& text, const ops::Type& type) {
    const std::string plain = ops::cpp_value({type.base, type.class_name, {}});
    return fmt::format("static_cast<{}>({})", plain, text);
  }

  static std::string constant_text(const std::string& text, const ops::Type& type) {
    switch (type.base) {
      case BaseType::string:
        return fmt::format("std::string_view({}, {})", quoted_in_cpp(text), text.size());
      case BaseType::scalar_type:
        return fmt::format("static_cast<ScalarType>({})", find_scalar_type(text)->code);
      case BaseType::boolean:
        return text == "True" ? "true" : "false";
      case BaseType::scalar:
        if (text == "True" || text == "False")
          return text == "True" ? "Scalar(true)" : "Scalar(false)";
        return fmt::format("Scalar({})", number_text(text));
      case BaseType::floating:
        return is_whole(text) ? text + ".0" : number_text(text);
      default:
        return as_type(number_text(text), type);
    }
  }

  static bool is_whole(const std::string& text) {
    return text.find_first_not_of("-0123456789") == std::string::npos;
  }

  static std::string number_text(const std::string& text) {
    if (text.find("inf") != std::string::npos)
      return text[0] == '-' ? "-__builtin_inf()" : "__builtin_inf()";
    if (text.find("nan") != std::string::npos) return "__builtin_nan(\"\")";
    // Digits of the least integer are beyond the largest.
    if (text == std::to_string(INT64_MIN)) return "INT64_MIN";
    return is_whole(text) ? fmt::format("int64_t{{{}}}", text) : text;
  }

  std::string list_text(const BoundValue& value, std::size_t depth, const ops::Type& type) {
    ops::Type element = type;
    element.modifiers.resize(depth - 1);
    const std::string name = ops::cpp_value(element);
    if (value.items.empty()) return fmt::format("ArrayRef<{}>()", name);
    std::vector<std::string> items;
    for (const BoundValue& item : value.items) items.push_back(value_text(item, depth - 1, type));
    const std::string array = fmt::format("list{}", count_++);
    lists_ += fmt::format("    const {} {}[] = {{{}}};\n", name, array, join(items, ", "));
    return fmt::format("ArrayRef<{}>({})", name, array);
  }

  const Definition& definition_;
  const OperatorBinding& binding_;
  std::string lists_;
  int count_ = 0;
};

// Returns the parameters of a Solution: tensors as they are, scalars by their kind.
std::string parameters_text(const Definition& definition) {
  std::vector<std::string> all;
  std::size_t i = 0;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map) {
      const DTypeInfo& type = info(spec.dtype);
      const char* const scalar = spec.dtype == DType::boolean ? "bool"
                                 : type.significand > 0       ? "double"
                                                              : "int64_t";
      all.push_back(
          fmt::format("[[maybe_unused]] {} p{}", spec.shape ? "kbench::Tensor" : scalar, i++));
    }
  }
  return join(all, ", ");
}

std::string names_text(const Definition& definition) {
  std::vector<std::string> all;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map)
      if (spec.shape) all.push_back('"' + name + '"');
  }
  return join(all, ", ");
}

std::string views_text(const Definition& definition) {
  std::vector<std::string> views;
  std::size_t i = 0;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map) {
      if (spec.shape) views.push_back(fmt::format("view_of(p{})", i));
      ++i;
    }
  }
  return join(views, ", ");
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

// Tells of each axis whether it may have any length, whatever that of others is: "true, false".
std::string free_axes_text(const DefinitionCall& call) {
  const Definition& definition = *call.definition;
  std::vector<std::string> all;
  for (const auto& [name, axis] : definition.axes) {
    const auto speaks_of = [&](const std::string& one) { return mentions(one, name); };
    const bool is_bound =
        std::any_of(definition.constraints.begin(), definition.constraints.end(), speaks_of) ||
        std::any_of(call.conditions.begin(), call.conditions.end(), speaks_of);
    all.emplace_back(const_value(axis) || is_bound ? "false" : "true");
  }
  return all.empty() ? "false" : join(all, ", ");
}

std::string table_row(const std::vector<int>& numbers) {
  std::string out = "{";
  for (const int number : numbers) out += std::to_string(number) + ", ";
  return out + "}";
}

// Returns the numbers of the axes of a tensor's dimensions.
std::vector<int> axes_of(const Definition& definition, const TensorSpec& spec) {
  std::vector<int> numbers;
  for (const std::string& name : *spec.shape) {
    const auto& items = definition.axes.items;
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const auto& axis) { return axis.first == name; });
    numbers.push_back(static_cast<int>(found - items.begin()));
  }
  return numbers;
}

std::string axes_text(const Definition& definition) {
  std::vector<std::string> all;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map)
      if (spec.shape) all.push_back(table_row(axes_of(definition, spec)));
  }
  return join(all, ", ");
}

void add_order(const DefinitionCall& call, const BoundValue& value, const TensorMeta& meta,
               std::vector<std::vector<int>>& orders) {
  for (const BoundValue& item : value.items) add_order(call, item, meta, orders);
  const std::size_t inputs = count_tensors(*call.definition);
  if (value.kind == Bound::input && meta.dim_order)
    orders[tensor_index(*call.definition, value.index)] = *meta.dim_order;
  if (value.kind == Bound::output && meta.dim_order) orders[inputs + value.index] = *meta.dim_order;
}

// Returns the dim order of each tensor by the key: "{0, 2, 3, 1, }, …".
std::string orders_text(const DefinitionCall& call) {
  std::vector<std::vector<int>> orders;
  for (const auto* map : {&call.definition->inputs, &call.definition->outputs}) {
    for (const auto& [name, spec] : *map) {
      if (!spec.shape) continue;
      orders.emplace_back(spec.shape->size());
      std::iota(orders.back().begin(), orders.back().end(), 0);
    }
  }
  const auto arguments = ops::arguments_of(call.binding->schema);
  std::size_t next = 0;
  for (std::size_t i = 0; call.key && i < arguments.size(); ++i) {
    if (arguments[i]->type.base == BaseType::tensor)
      add_order(call, call.binding->values[i], (*call.key)[next++], orders);
  }
  std::vector<std::string> all;
  for (const std::vector<int>& order : orders) all.push_back(table_row(order));
  return join(all, ", ");
}

std::string call_text(const DefinitionCall& call, std::size_t number) {
  const Definition& definition = *call.definition;
  const std::size_t inputs = count_tensors(definition);
  std::string out = fmt::format(
      "\n// {}: {}\ntemplate <class Call>\nvoid call_{}({}) {{\n", comment_in_cpp(definition.name),
      ops::full_name(call.binding->schema.name), number, parameters_text(definition));
  out += "  using namespace kbench::kernels;\n";
  out +=
      fmt::format("  static constexpr int8_t axes[][kMaxDims] = {{{}}};\n", axes_text(definition));
  out += fmt::format("  static constexpr bool is_free[] = {{{}}};\n", free_axes_text(call));
  out += fmt::format("  static constexpr DimOrderType orders[][kMaxDims] = {{{}}};\n",
                     orders_text(call));
  out += fmt::format("  static constexpr const char* names[] = {{{}}};\n", names_text(definition));
  out += fmt::format("  TensorImpl all[] = {{{}}};\n", views_text(definition));
  out += fmt::format(
      "  Call::run(\"{}\", {{all, {}, {}, axes, is_free, orders, names, p{}.device()}}, "
      "[&](KernelRuntimeContext& context, [[maybe_unused]] TensorImpl* t) {{\n",
      ops::full_name(call.binding->schema.name), inputs, inputs + definition.outputs.size(),
      definition.inputs.size());  // first output, which is a tensor
  out += CallWriter(definition, *call.binding).text(call.symbol) + "  });\n}\n";
  for (const auto& [name, type] : call.exports)
    out += fmt::format("KBENCH_EXPORT({}, (call_{}<kbench::kernels::{}>))\n", name, number, type);
  return out;
}

std::string declarations_text(const std::vector<DefinitionCall>& calls) {
  std::set<std::string> seen;
  std::string out;
  for (const DefinitionCall& call : calls) {
    const std::size_t colons = call.symbol.rfind("::");
    const std::string line =
        fmt::format("namespace {} {{\n{};\n}}\n", call.symbol.substr(0, colons),
                    ops::prototype(call.binding->schema, call.symbol.substr(colons + 2), scope));
    if (seen.insert(line).second) out += line;
  }
  return out;
}

}  // namespace

std::string call_problem(const OperatorBinding& binding) {
  constexpr const char* those = "kernels that write to out arguments can be called";
  const ops::SchemaKind kind = ops::kind_of(binding.schema);
  if (kind == ops::SchemaKind::functional) return fmt::format("it returns new tensors; {}", those);
  if (kind == ops::SchemaKind::in_place) return fmt::format("it works in place; {}", those);
  const auto arguments = ops::arguments_of(binding.schema);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->is_write() && holds_input(binding.values[i]))
      return fmt::format("it writes to {}, which is given an input; {}", arguments[i]->name, those);
  }
  return "";
}

std::string definition_calls_text(const std::vector<DefinitionCall>& calls,
                                  const std::vector<std::string>& headers) {
  std::string out = generated_banner();
  for (const std::string& header : headers) out += fmt::format("#include \"{}\"\n", header);
  out += declarations_text(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) out += call_text(calls[i], i);
  return out;
}

}  // namespace kbench
