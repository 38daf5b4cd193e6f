#include "operators/prototype.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/words.hpp"
#include "operators/name_rules.hpp"

namespace kbench::ops {
namespace {

// A value of the type: "std::optional<ArrayRef<int64_t>>".
std::string cpp_value(const Type& type) {
  std::string out(info(type.base).cpp);
  for (const Modifier& modifier : type.modifiers) {
    if (modifier.kind == Modifier::Kind::optional) {
      out = "std::optional<" + out + ">";
    } else {
      out = out == "Tensor" ? "TensorList" : "ArrayRef<" + out + ">";
    }
  }
  return out;
}

// Handles and unions go by reference, the rest by value.
bool is_passed_by_reference(const Type& type) {
  return !type.has_list() && (type.base == BaseType::tensor || type.base == BaseType::scalar);
}

std::string cpp_return(const Return& value) {
  if (value.type.has_list()) return "std::vector<" + std::string(info(value.type.base).cpp) + ">";
  return cpp_value(value.type) + (value.is_write() ? "&" : "");
}

}  // namespace

std::string cpp_parameter(const Argument& argument) {
  const std::string value = cpp_value(argument.type);
  if (!is_passed_by_reference(argument.type)) return value;
  const bool is_written = argument.is_write() && argument.type.is(BaseType::tensor);
  return is_written ? value + "&" : "const " + value + "&";
}

std::string cpp_result(const Schema& schema) {
  std::vector<std::string> values;
  for (const Return& one : schema.returns) values.push_back(cpp_return(one));
  if (values.empty()) return "void";
  return values.size() == 1 ? values[0] : "std::tuple<" + join(values, ", ") + ">";
}

std::string cpp_name(const Argument& argument) {
  const bool is_taken = is_cpp_keyword(argument.name) || is_one_of(argument.name, {"context"});
  return is_taken ? argument.name + "_" : argument.name;
}

std::string function_name(const Schema& schema) {
  return schema.out.empty() ? schema.name.base : schema.name.base + "_outf";
}

std::string usual_kernel_name(const OperatorName& name) {
  return lower(name.overload.empty() ? name.base : name.base + "_" + name.overload);
}

std::string prototype(const Schema& schema, const std::string& function) {
  std::string out =
      fmt::format("{} {}(KernelRuntimeContext& context", cpp_result(schema), function);
  for (const Argument* argument : arguments_of(schema))
    out += fmt::format(", {} {}", cpp_parameter(*argument), cpp_name(*argument));
  return out + ")";
}

}  // namespace kbench::ops
