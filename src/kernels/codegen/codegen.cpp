#include "kernels/codegen/codegen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/codegen/files.hpp"

namespace kbench {
namespace {

struct FileInput {
  const std::vector<GeneratedOperator>& operators;
  const std::vector<GeneratedOperator>& custom;  // operators with a schema of their own
  const CodegenInput& given;
  const CodegenOptions& options;

  bool is_manual() const { return options.registration == Registration::manual; }
};

struct KernelLibraryFile {
  std::string_view name;
  bool (*is_wanted)(const FileInput& input);
  std::string (*text)(const FileInput& input);
};

bool always(const FileInput&) { return true; }

// Sources find the header that they include, whatever is selected.
bool has_custom_operators(const FileInput& in) {
  const auto& all = in.given.all.empty() ? in.given.kernels : in.given.all;
  return std::any_of(all.begin(), all.end(),
                     [](const SelectedKernel& one) { return one.entry->is_custom; });
}

constexpr KernelLibraryFile kernel_library_files[] = {
    {"NativeFunctions.h", &always,
     [](const FileInput& in) { return native_functions_text(in.operators); }},
    {"Functions.h", &always, [](const FileInput& in) { return functions_text(in.operators); }},
    {"RegisterKernels.h", &always,
     [](const FileInput& in) { return register_header_text(in.options); }},
    {"RegisterCodegenUnboxedKernelsEverything.cpp",
     [](const FileInput& in) { return !in.is_manual(); },
     [](const FileInput& in) { return registration_text(in.operators, in.options); }},
    {"RegisterKernelsEverything.cpp", [](const FileInput& in) { return in.is_manual(); },
     [](const FileInput& in) { return registration_text(in.operators, in.options); }},
    {"CustomOpsNativeFunctions.h", &has_custom_operators,
     [](const FileInput& in) { return native_functions_text(in.custom); }},
    {"selected_op_variants.h", [](const FileInput& in) { return in.options.dtype_header; },
     [](const FileInput& in) { return selected_variants_text(in.given.selection); }},
    {"selected_max_kernel_num.h", &always,
     [](const FileInput& in) {
       return kernel_number_text(in.operators, in.given.selection, in.options.prim_ops.size());
     }},
    {"selected_prim_ops.h", [](const FileInput& in) { return !in.options.prim_ops.empty(); },
     [](const FileInput& in) { return prim_ops_text(in.options.prim_ops); }},
};

GeneratedCode generate_executorch(const CodegenInput& input, const CodegenOptions& options,
                                  Diagnostics& diagnostics) {
  const auto operators = generated_operators(input.kernels, diagnostics, function_names(input.all));
  std::vector<GeneratedOperator> custom;
  std::copy_if(operators.begin(), operators.end(), std::back_inserter(custom),
               [](const GeneratedOperator& one) { return one.entry->is_custom; });
  const FileInput in{operators, custom, input, options};
  std::vector<GeneratedFile> files;
  for (const KernelLibraryFile& row : kernel_library_files)
    if (row.is_wanted(in)) files.push_back({std::string(row.name), row.text(in)});
  return {std::move(files), count_kernels(operators)};
}

constexpr std::string_view executorch_runtime[] = {"kbench_dispatch.h", "kbench_registry.h",
                                                   "kbench_registry.cpp"};
constexpr std::string_view torch_runtime[] = {"kbench_dispatch.h", "kbench_layout.h",
                                              "kbench_held.h", "kbench_torch.h",
                                              "kbench_torch_meta.h"};
constexpr std::string_view tvm_ffi_runtime[] = {
    "kbench_dispatch.h", "kbench_layout.h", "kbench_held.h",   "kbench_ffi.h",
    "kbench_dlpack.h",   "kbench_any.h",    "kbench_tvm_ffi.h"};

// Headers that sources of kernels include, those that were written for ExecuTorch too.
constexpr std::string_view source_headers[] = {
    "kbench_kernel.h",
    "kbench_tensor.h",
    "kbench_executorch.h",
    "kbench_executorch_names.h",
    "kbench_executorch_types.h",
    "kbench_executorch_util.h",
    "executorch/runtime/core/error.h",
    "executorch/runtime/core/exec_aten/exec_aten.h",
    "executorch/runtime/core/exec_aten/util/scalar_type_util.h",
    "executorch/runtime/core/exec_aten/util/tensor_util.h",
    "executorch/runtime/core/result.h",
    "executorch/runtime/kernel/kernel_includes.h",
    "executorch/runtime/kernel/kernel_runtime_context.h",
    "executorch/runtime/platform/assert.h",
    "executorch/runtime/platform/compiler.h",
    "executorch/runtime/platform/log.h"};

constexpr std::string_view solutions_runtime[] = {"kbench_ffi.h", "kbench_choice.h",
                                                  "kbench_numbers.h", "kbench_rank.h"};

constexpr CodegenTarget targets[] = {
    {"executorch", executorch_runtime, &generate_executorch},
    {"torch", torch_runtime, &generate_torch_library},
    {"tvm-ffi", tvm_ffi_runtime, &generate_tvm_ffi_library},
    {"solutions", solutions_runtime, &generate_solutions},
};

}  // namespace

std::string generated_banner() {
  return "// Written by kbench kernels codegen; changes here are lost.\n";
}

std::span<const std::string_view> kernel_source_headers() { return source_headers; }

std::span<const CodegenTarget> codegen_targets() { return targets; }

const CodegenTarget* find_codegen_target(std::string_view name) {
  const auto found = std::find_if(std::begin(targets), std::end(targets),
                                  [&](const CodegenTarget& one) { return one.name == name; });
  return found == std::end(targets) ? nullptr : found;
}

GeneratedCode generate(const CodegenInput& input, const CodegenOptions& options,
                       Diagnostics& diagnostics) {
  return find_codegen_target(options.target)->generate(input, options, diagnostics);
}

// Numbers have three digits: one behind them changes nothing. Two '?' may begin a trigraph.
std::string quoted_in_cpp(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < ' ' || code >= 0x7f) {  // editors may obey U+202E and its like
      out += fmt::format("\\{:03o}", code);
      continue;
    }
    if (c == '"' || c == '\\' || c == '?') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string comment_in_cpp(std::string_view text) {
  const std::string quoted = quoted_in_cpp(text);
  return quoted.substr(1, quoted.size() - 2) + (trim(text).ends_with('\\') ? "." : "");
}

// https://cmake.org/cmake/help/latest/manual/cmake-language.7.html#escape-sequences
std::string quoted_in_cmake(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == ';') out += '\\';
    out += c == '$' ? std::string("\\$<1:\\$>") : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace kbench
