#include "kernels/operators/prototype.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/name_rules.hpp"

namespace kbench::ops {
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
