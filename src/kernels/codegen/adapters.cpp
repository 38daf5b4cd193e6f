#include "kernels/codegen/adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

std::string role_text(const ops::Argument& argument, bool is_out) {
  if (is_out) return "Role::output";
  return argument.is_write() ? "Role::in_place" : "Role::input";
}

}  // namespace

std::optional<std::vector<std::size_t>> returned_arguments(const ops::Schema& schema) {
  const auto arguments = ops::arguments_of(schema);
  std::vector<std::size_t> out;
  for (const ops::Return& value : schema.returns) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [&](const ops::Argument* argument) {
          return argument->is_write() && value.is_write() && argument->alias == value.alias;
        });
    if (found == arguments.end()) return std::nullopt;
    out.push_back(static_cast<std::size_t>(found - arguments.begin()));
  }
  return out;
}

std::vector<SelectedKernel> servable(
    const std::vector<SelectedKernel>& kernels,
    const std::function<std::string(const SelectedKernel& kernel)>& why_left_out,
    Diagnostics& diagnostics) {
  std::vector<SelectedKernel> out;
  for (const SelectedKernel& one : kernels) {
    // Kernels have no memory for tensors that do not exist yet.
    const ops::Schema& schema = one.entry->schema;
    const std::string why =
        returned_arguments(schema)
            ? why_left_out(one)
            : fmt::format("{} returns what is none of its arguments", ops::full_name(schema.name));
    if (why.empty()) {
      out.push_back(one);
    } else {
      warn_of_kernel(*one.kernel, why, diagnostics);
    }
  }
  return out;
}

void check_names(const std::vector<GeneratedOperator>& operators,
                 const std::function<std::string(const GeneratedOperator& one)>& name_of,
                 const std::string& hint, Diagnostics& diagnostics) {
  std::map<std::string, std::string> taken;
  for (const GeneratedOperator& one : operators) {
    const std::string name = name_of(one);
    const auto [at, is_new] = taken.try_emplace(name, one.name);
    if (!is_new)
      diagnostics.error(one.entry->where,
                        fmt::format("{} and {} would both be {}", at->second, one.name, name),
                        hint);
  }
}

std::string held_call_text(const ops::Schema& schema, const std::string& function) {
  const auto arguments = ops::arguments_of(schema);
  const std::size_t inputs = arguments.size() - schema.out.size();
  std::string held, passed, written;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    held += fmt::format("  Held<{}> arg{}({{call, {}, {}}});\n",
                        ops::cpp_value(arguments[i]->type, scope), i, i,
                        role_text(*arguments[i], i >= inputs));
    passed += fmt::format(", arg{}.value()", i);
    if (arguments[i]->is_write()) written += fmt::format("  arg{}.write_back();\n", i);
  }
  return fmt::format("{}  ::{}(call.context(){});\n  call.check();\n{}", held, function, passed,
                     written);
}

std::string numbers_text(const std::vector<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// Library of functions for TVM-FFI.

namespace {

// Returns "mylib_add_out"; operators of aten have no prefix.
std::string exported_name(const GeneratedOperator& one) {
  const ops::OperatorName& name = one.entry->schema.name;
  std::string out = name.name_space == "aten" ? "" : name.name_space + "_";
  out += ops::text_without_namespace(name);
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

// Says why no call of TVM-FFI can reach a kernel; "" where one can.
std::string why_not_in_tvm_ffi(const SelectedKernel& one) {
  for (const TensorMeta& meta : one.key.value_or(KernelKey{})) {
    if (!meta.scalar_type) continue;
    const ScalarTypeInfo* const type = find_scalar_type(*meta.scalar_type);
    if (type != nullptr && !type->in_dlpack) return fmt::format("DLPack has no {}", type->name);
  }
  return "";
}

std::string operator_text(const GeneratedOperator& one) {
  const ops::Schema& schema = one.entry->schema;
  std::vector<std::string> names;
  for (const ops::Argument* argument : ops::arguments_of(schema)) names.push_back(argument->name);
  return fmt::format(
      "\n// {0}\nvoid call_{1}(Call& call) {{\n{2}}}\n"
      "constexpr Operator op_{1} = {{\"{3}\", \"{4}\", {5}, &call_{1}}};\n",
      comment_in_cpp(ops::text(schema)), one.identifier,
      held_call_text(schema, dispatch_symbol(one)), one.name, join(names, ", "), names.size());
}

std::string exports_text(const std::vector<GeneratedOperator>& operators) {
  std::string definitions, exports;
  for (const GeneratedOperator& one : operators) {
    definitions += operator_text(one);
    exports +=
        fmt::format("KBENCH_TVM_FFI_EXPORT({}, op_{})\n", exported_name(one), one.identifier);
  }
  return generated_banner() +
         "// Calls the kernels with TVM-FFI's arguments.\n"
         "#include \"kbench_tvm_ffi.h\"\n\n#include \"Functions.h\"\n\n"
         "namespace {\n\nusing namespace kbench::tvm_ffi_library;\n" +
         definitions + "\n}  // namespace\n\n" + exports;
}

}  // namespace

GeneratedCode generate_tvm_ffi_library(const CodegenInput& input, const CodegenOptions&,
                                       Diagnostics& diagnostics) {
  constexpr std::string_view devices[] = {"cpu"};
  const auto kernels = servable(callable_kernels(input.kernels, devices, diagnostics),
                                &why_not_in_tvm_ffi, diagnostics);
  const auto operators = operators_with(kernels, diagnostics, function_names(input.all));
  check_names(operators, &exported_name, "put them in libraries of their own", diagnostics);
  return {{{"NativeFunctions.h", native_functions_text(operators)},
           {"Functions.h", functions_text(operators)},
           {"RegisterTvmFfi.cpp", exports_text(operators)}},
          count_kernels(operators)};
}

}  // namespace kbench
