#include "kernels/operators/schema.hpp"

#include <algorithm>

namespace kbench::ops {
namespace {

std::string text(const Alias& alias) {
  return alias.before + (alias.is_write ? "!" : "") +
         (alias.after.empty() ? "" : " -> " + alias.after);
}

std::string annotated(const Type& type, const std::optional<Alias>& alias) {
  std::string out = text(type);
  // The alias is that of the tensor, so it stands before the modifiers.
  if (alias) out.insert(info(type.base).name.size(), "(" + text(*alias) + ")");
  return out;
}

void append(std::string& to, const std::string& part) {
  if (!to.empty()) to += ", ";
  to += part;
}

}  // namespace

bool OperatorName::is_in_place() const {
  const bool is_dunder = base.size() > 4 && base.starts_with("__") && base.ends_with("__");
  if (!is_dunder) return base.ends_with('_');
  return base[2] == 'i';  // __iadd__
}

std::vector<const Argument*> arguments_of(const Schema& schema) {
  std::vector<const Argument*> all;
  for (const auto* group : {&schema.positional, &schema.keyword_only, &schema.out}) {
    for (const Argument& argument : *group) all.push_back(&argument);
  }
  return all;
}

std::string text_without_namespace(const OperatorName& name) {
  return name.overload.empty() ? name.base : name.base + "." + name.overload;
}

std::string packet_name(const std::string& full_name) {
  return full_name.substr(0, full_name.find('.'));
}

std::string full_name(const OperatorName& name) {
  return (name.name_space.empty() ? "aten" : name.name_space) + "::" + text_without_namespace(name);
}

std::string full_name(const std::string& name) {
  return name.find("::") == std::string::npos ? "aten::" + name : name;
}

std::string text(const Argument& argument) {
  const std::string out = annotated(argument.type, argument.alias) + " " + argument.name;
  return argument.default_value ? out + "=" + *argument.default_value : out;
}

std::string text(const Return& value) {
  const std::string type = annotated(value.type, value.alias);
  return value.name.empty() ? type : type + " " + value.name;
}

std::string text(const Schema& schema) {
  std::string arguments;
  for (const Argument& one : schema.positional) append(arguments, text(one));
  if (!schema.keyword_only.empty() || !schema.out.empty()) append(arguments, "*");
  for (const Argument& one : schema.keyword_only) append(arguments, text(one));
  for (const Argument& one : schema.out) append(arguments, text(one));
  std::string returns;
  for (const Return& one : schema.returns) append(returns, text(one));
  if (schema.returns.size() != 1) returns = "(" + returns + ")";
  const std::string prefix = schema.name.name_space.empty() ? "" : schema.name.name_space + "::";
  return prefix + text_without_namespace(schema.name) + "(" + arguments + ") -> " + returns;
}

OperatorName operator_name(std::string_view text) {
  OperatorName name;
  if (const std::size_t colons = text.rfind("::"); colons != std::string_view::npos) {
    name.name_space = text.substr(0, colons);
    text.remove_prefix(colons + 2);
  }
  const std::size_t dot = text.find('.');
  name.base = text.substr(0, dot);
  if (dot != std::string_view::npos) name.overload = text.substr(dot + 1);
  return name;
}

namespace {

constexpr BaseTypeInfo table[] = {
    {BaseType::tensor, "Tensor", "Tensor"},
    {BaseType::integer, "int", "int64_t"},
    {BaseType::sym_int, "SymInt", "int64_t"},
    {BaseType::floating, "float", "double"},
    {BaseType::boolean, "bool", "bool"},
    {BaseType::string, "str", "std::string_view"},
    {BaseType::scalar, "Scalar", "Scalar"},
    {BaseType::scalar_type, "ScalarType", "ScalarType"},
    {BaseType::memory_format, "MemoryFormat", "MemoryFormat"},
    {BaseType::device, "Device", "Device"},
    {BaseType::device_index, "DeviceIndex", ""},
    {BaseType::dim_vector, "DimVector", ""},
    {BaseType::generator, "Generator", ""},
    {BaseType::graph_module, "GraphModule", ""},
    {BaseType::layout, "Layout", ""},
    {BaseType::qscheme, "QScheme", ""},
    {BaseType::storage, "Storage", ""},
    {BaseType::stream, "Stream", ""},
    {BaseType::sym_bool, "SymBool", ""},
    {BaseType::custom_class, "__torch__.torch.classes.", ""},
};

}  // namespace

std::span<const BaseTypeInfo> base_types() { return table; }

const BaseTypeInfo& info(BaseType type) { return table[static_cast<std::size_t>(type)]; }

std::optional<BaseType> find_base_type(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const BaseTypeInfo& row) { return row.name == name; });
  if (found == std::end(table) || found->type == BaseType::custom_class) return std::nullopt;
  return found->type;
}

bool Type::has_list() const {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [](const Modifier& one) { return one.kind == Modifier::Kind::list; });
}

std::string text(const Type& type) {
  std::string out(info(type.base).name);
  out += type.class_name;
  for (const Modifier& modifier : type.modifiers) {
    if (modifier.kind == Modifier::Kind::optional) {
      out += '?';
    } else {
      out += modifier.size ? "[" + std::to_string(*modifier.size) + "]" : "[]";
    }
  }
  return out;
}

}  // namespace kbench::ops
