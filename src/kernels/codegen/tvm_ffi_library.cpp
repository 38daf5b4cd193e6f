// A library of functions for TVM-FFI.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/codegen/adapters.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

// "mylib_add_out"; operators of aten have no prefix.
std::string exported_name(const GeneratedOperator& one) {
  const ops::OperatorName& name = one.entry->schema.name;
  std::string out = name.name_space == "aten" ? "" : name.name_space + "_";
  out += ops::text_without_namespace(name);
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

// Why no call of TVM-FFI can reach a kernel, "" where one can.
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
