#include "kernels/operators/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/name_rules.hpp"

namespace kbench::ops {
namespace {

std::string text(const Alias& alias) {
  return alias.before + (alias.is_write ? "!" : "") +
         (alias.after.empty() ? "" : " -> " + alias.after);
}

std::string annotated(const Type& type, const std::optional<Alias>& alias) {
  std::string out = text(type);
  // Aliases are those of the tensor, so they stand before the modifiers.
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
  for (const auto* group : {&schema.positional, &schema.keyword_only, &schema.out})
    for (const Argument& argument : *group) all.push_back(&argument);
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

namespace {

// Handles and unions go by reference, the rest by value.
bool is_passed_by_reference(const Type& type) {
  return !type.has_list() && (type.base == BaseType::tensor || type.base == BaseType::scalar);
}

std::string base_name(BaseType type, const std::string& scope) {
  const std::string name(info(type).cpp);
  const bool is_builtin =
      name.starts_with("std::") || is_one_of(name, {"int64_t", "double", "bool"});
  return is_builtin ? name : scope + name;
}

std::string cpp_return(const Return& value, const std::string& scope) {
  if (value.type.has_list()) return "std::vector<" + base_name(value.type.base, scope) + ">";
  return cpp_value(value.type, scope) + (value.is_write() ? "&" : "");
}

}  // namespace

std::string cpp_value(const Type& type, const std::string& scope) {
  const std::string base = base_name(type.base, scope);
  std::string out = base;
  for (const Modifier& modifier : type.modifiers) {
    if (modifier.kind == Modifier::Kind::optional) {
      out = "std::optional<" + out + ">";
    } else {
      const bool is_tensors = type.base == BaseType::tensor && out == base;
      out = scope + (is_tensors ? "TensorList" : "ArrayRef<" + out + ">");
    }
  }
  return out;
}

std::string cpp_parameter(const Argument& argument, const std::string& scope) {
  const std::string value = cpp_value(argument.type, scope);
  if (!is_passed_by_reference(argument.type)) return value;
  const bool is_written = argument.is_write() && argument.type.is(BaseType::tensor);
  return is_written ? value + "&" : "const " + value + "&";
}

std::string cpp_result(const Schema& schema, const std::string& scope) {
  std::vector<std::string> values;
  for (const Return& one : schema.returns) values.push_back(cpp_return(one, scope));
  if (values.empty()) return "void";
  return values.size() == 1 ? values[0] : "std::tuple<" + join(values, ", ") + ">";
}

std::string cpp_identifier(const std::string& name) {
  return is_taken_in_cpp(name) || is_one_of(name, {"int64_t", "std"}) ? name + "_" : name;
}

// "default" → "default_", and "default_" → "default__", so that two arguments have two names.
std::string cpp_name(const Argument& argument) {
  const std::string word = argument.name.substr(0, argument.name.find_last_not_of('_') + 1);
  const bool is_taken = cpp_identifier(word) != word ||
                        cpp_identifier(argument.name) != argument.name ||
                        is_one_of(word, {"context", "table"});
  return is_taken ? argument.name + "_" : argument.name;
}

std::string function_name(const Schema& schema) {
  return schema.out.empty() ? schema.name.base : schema.name.base + "_outf";
}

std::string usual_kernel_name(const OperatorName& name) {
  return lower(name.overload.empty() ? name.base : name.base + "_" + name.overload);
}

std::string prototype(const Schema& schema, const std::string& function, const std::string& scope) {
  std::string out = fmt::format("{} {}({}KernelRuntimeContext& context", cpp_result(schema, scope),
                                function, scope);
  for (const Argument* argument : arguments_of(schema))
    out += fmt::format(", {} {}", cpp_parameter(*argument, scope), cpp_name(*argument));
  return out + ")";
}

std::string pointer_type(const Schema& schema, const std::string& pointer,
                         const std::string& scope) {
  std::string out =
      fmt::format("{} (*{})({}KernelRuntimeContext&", cpp_result(schema, scope), pointer, scope);
  for (const Argument* argument : arguments_of(schema))
    out += ", " + cpp_parameter(*argument, scope);
  return out + ")";
}

}  // namespace kbench::ops
