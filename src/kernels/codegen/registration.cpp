// Register….cpp and RegisterKernels.h.
#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "kernels/codegen/adapters.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/arg_meta.hpp"

namespace kbench {
namespace {

// Takes the arguments from the stack.
std::string unboxed_text(const ops::Schema& schema) {
  std::string out;
  const auto arguments = ops::arguments_of(schema);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    out += fmt::format("  KBENCH_UNBOX(arg{}, {}, \"{}\", {});\n", i, i, arguments[i]->name,
                       ops::cpp_value(arguments[i]->type, scope));
  return out;
}

std::string call_text(const ops::Schema& schema) {
  std::string out = "Function(context";
  for (std::size_t i = 0; i < ops::arguments_of(schema).size(); ++i)
    out += fmt::format(", arg{}", i);
  return out + ")";
}

// Counts the places on the stack behind the arguments: one for each result, and one at least.
std::size_t result_slots(const ops::Schema& schema) {
  return schema.out.empty() && schema.returns.size() > 1 ? schema.returns.size() : 1;
}

// Calls, and puts the results behind the arguments. Outputs are there already.
std::string result_text(const ops::Schema& schema) {
  const std::size_t inputs = ops::arguments_of(schema).size();
  const std::string call = call_text(schema);
  if (!schema.out.empty() && schema.returns.empty())
    return fmt::format("  {};\n  stack[{}] = stack[{}];\n", call, inputs, inputs - 1);
  if (!schema.out.empty() || schema.returns.empty()) return fmt::format("  {};\n", call);
  if (schema.returns.size() == 1)
    return fmt::format("  *stack[{}] = {}EValue({});\n", inputs, scope, call);
  std::string out = fmt::format("  const auto results = {};\n", call);
  for (std::size_t i = 0; i < schema.returns.size(); ++i)
    out += fmt::format("  *stack[{}] = {}EValue(std::get<{}>(results));\n", inputs + i, scope, i);
  return out;
}

std::string guarded(const std::string& body) {
  return fmt::format(
      "  try {{\n{0}  }} catch (const std::exception& error) {{\n"
      "    {1}fail(context, {1}Error::Internal, \"Kernel threw an exception\");\n    "
      "std::fprintf(stderr, \"Kernel threw an exception: %s\\n\", error.what());\n"
      "  }} catch (...) {{\n    {1}fail(context, {1}Error::Internal, \"Kernel threw an "
      "exception\");\n  }}\n",
      body, scope);
}

// Calls a kernel of the operator by name.
std::string boxed_text(const GeneratedOperator& one, const CodegenOptions& options) {
  const ops::Schema& schema = one.entry->schema;
  std::string out;
  if (!executorch_can_call(schema))
    out += fmt::format(
        "\n#if KBENCH_WITH_EXECUTORCH\n#error \"{}: ExecuTorch passes no arguments of these types "
        "to kernels\"\n#endif\n",
        one.name);
  out += fmt::format(
      "\n// {}\ntemplate <{}>\nvoid call_{}([[maybe_unused]] {}KernelRuntimeContext& "
      "context,\n    {}Span<{}EValue*> stack) {{\n",
      comment_in_cpp(ops::text(schema)), ops::pointer_type(schema, "Function", scope),
      one.identifier, scope, scope, scope);
  out += fmt::format("  if (!{}check_stack(context, stack, {})) return;\n", scope,
                     ops::arguments_of(schema).size() + result_slots(schema));
  out += unboxed_text(schema);
  const std::string call = result_text(schema);
  return out + (options.exception_boundary ? guarded(call) : call) + "}\n";
}

// Returns the key by which the registry of kbench_registry.cpp finds a kernel: its own, and "?" for
// an optional tensor that may be there or not.
std::string registry_key(const ops::Schema& schema, const KernelKey& key) {
  const auto arguments = tensor_arguments(schema);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool is_open = key[i] == TensorMeta{};
    parts.push_back(is_open && arguments[i]->type.is_optional() ? "?"
                                                                : key_text({key[i]}).substr(3));
  }
  return parts.empty() ? "" : "v1/" + join(parts, "|");
}

// Returns the entry of a kernel; `place`: its number among those of the operator.
std::string entry_text(const GeneratedOperator& one, std::size_t place) {
  const GeneratedKernel& kernel = one.kernels[place];
  const std::string function = fmt::format("&call_{}<&::{}>", one.identifier, kernel.symbol);
  const std::string rank = fmt::format("{}, {}, {}", kernel.priority, kernel.backend_order, place);
  if (!kernel.key)
    return fmt::format("    KBENCH_DEFAULT_KERNEL(\"{}\", {}, {}, {}),\n", one.name, function,
                       quoted_in_cpp(kernel.where), rank);
  const auto executorch = executorch_key(one.entry->schema, *kernel.key);
  std::string out;
  if (!executorch)
    out = fmt::format(
        "#if KBENCH_WITH_EXECUTORCH\n#error \"{}: ExecuTorch's registry knows no wildcards\"\n"
        "#endif\n",
        one.name);
  return out + fmt::format("    KBENCH_KERNEL(\"{}\", \"{}\", \"{}\", {}, {}, {}),\n", one.name,
                           registry_key(one.entry->schema, *kernel.key), executorch.value_or(""),
                           function, quoted_in_cpp(kernel.where), rank);
}

// Returns the condition on the processor under which a kernel is registered: " && …".
std::string condition_of(const GeneratedKernel& kernel) {
  std::string out;
  if (!kernel.feature.empty())
    out += fmt::format(" && KBENCH_CPU_SUPPORTS({})", quoted_in_cpp(kernel.feature));
  for (const std::string& feature : kernel.unless)
    out += fmt::format(" && !KBENCH_CPU_SUPPORTS({})", quoted_in_cpp(feature));
  return out;
}

// Arrays of kernels by the features that they need, and the code that registers these.
struct Arrays {
  std::string definitions;
  std::string registering;
};

Arrays arrays_of(const std::vector<GeneratedOperator>& operators, const std::string& register_all) {
  std::map<std::string, std::string> entries;  // entries by condition; "" comes first
  for (const GeneratedOperator& one : operators) {
    for (std::size_t i = 0; i < one.kernels.size(); ++i)
      entries[condition_of(one.kernels[i])] += entry_text(one, i);
  }
  Arrays arrays;
  std::size_t number = 0;
  for (const auto& [condition, text] : entries) {
    const std::string name =
        number++ == 0 ? "kernels_to_register" : fmt::format("kernels_to_register_{}", number);
    arrays.definitions += fmt::format("\nconst {}Kernel {}[] = {{\n{}}};\n", scope, name, text);
    arrays.registering += fmt::format(
        "  if (error == {0}Error::Ok{1})\n    error = {0}{2}({{{3}, sizeof {3} / sizeof *{3}}});\n",
        scope, condition, register_all, name);
  }
  return arrays;
}

std::string function_name(const CodegenOptions& options) {
  return options.library.empty() ? "register_all_kernels"
                                 : fmt::format("register_{}_kernels", options.library);
}

}  // namespace

std::string registration_text(const std::vector<GeneratedOperator>& operators,
                              const CodegenOptions& options) {
  const bool is_manual = options.registration == Registration::manual;
  std::string boxed;
  for (const GeneratedOperator& one : operators) boxed += boxed_text(one, options);
  const Arrays arrays =
      arrays_of(operators, is_manual ? "try_register_kernels" : "register_kernels");
  std::string out = generated_banner() + "// Registers the kernels by name.\n";
  if (options.exception_boundary) out += "#include <cstdio>\n#include <exception>\n\n";
  out +=
      "#include \"NativeFunctions.h\"\n#include \"RegisterKernels.h\"\n"
      "#include \"kbench_registry.h\"\n\nnamespace {\n" +
      boxed + arrays.definitions;
  const std::string body = fmt::format("  {0}Error error = {0}Error::Ok;\n{1}  return error;\n",
                                       scope, arrays.registering);
  if (is_manual)
    return out + fmt::format(
                     "\n}}  // namespace\n\nnamespace torch::executor {{\n\n{}Error {}() "
                     "{{\n{}}}\n\n}}  // namespace torch::executor\n",
                     scope, function_name(options), body);
  return out + fmt::format(
                   "\n{0}Error register_all() {{\n{1}}}\n\n[[maybe_unused]] const {0}Error "
                   "registered = register_all();\n\n}}  // namespace\n",
                   scope, body);
}

std::string register_header_text(const CodegenOptions& options) {
  std::string out = generated_banner();
  if (options.registration != Registration::manual)
    return out + "// The kernels register themselves when the program starts.\n#pragma once\n";
  return out + fmt::format(
                   "// Registers the kernels; a second call is RegistrationAlreadyRegistered.\n"
                   "#pragma once\n\n#include \"kbench_kernel.h\"\n\nnamespace "
                   "torch::executor {{\n{}Error {}();\n}}  // namespace torch::executor\n",
                   scope, function_name(options));
}

}  // namespace kbench
