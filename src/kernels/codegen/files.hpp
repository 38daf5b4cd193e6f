// The generated files, one function each. To add one: its function, its row in codegen.cpp.
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/adapters.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/operators.hpp"

namespace kbench {

// The first lines of every generated file.
std::string generated_banner();

// Declarations of the kernels of these operators.
std::string native_functions_text(const std::vector<GeneratedOperator>& operators);
// A function for each operator, which calls the kernel that serves its tensors.
struct FunctionsPlace {
  std::string natives = "NativeFunctions.h";  // declares the kernels
  std::string name_space = "torch::executor";
};
std::string functions_text(const std::vector<GeneratedOperator>& operators,
                           const FunctionsPlace& place = {});
// Definitions that register all kernels, by name.
std::string registration_text(const std::vector<GeneratedOperator>& operators,
                              const CodegenOptions& options);
// Declares the functions that do so by hand.
std::string register_header_text(const CodegenOptions& options);

// Which kernels are built of an operator, dtype by dtype. Source: ExecuTorch,
// codegen/tools/gen_selected_op_variants.py.
std::string selected_variants_text(const OperatorSelection& selection);
// How many kernels are registered, of these operators and of those that other libraries have;
// nothing is defined where all may be. Source: ExecuTorch, codegen/tools/gen_max_kernel_num.py.
std::string kernel_number_text(const std::vector<GeneratedOperator>& operators,
                               const OperatorSelection& selection, std::size_t prim_ops);
// Source: ExecuTorch, codegen/tools/gen_selected_prim_ops.py.
std::string prim_ops_text(const std::vector<std::string>& prim_ops);

// A library of functions for TVM-FFI, which tvm_ffi.load_module() takes. Each operator is a
// function "mylib_add_out", which takes the arguments of its schema in their order and returns
// nothing.
GeneratedCode generate_tvm_ffi_library(const CodegenInput& input, const CodegenOptions& options,
                                       Diagnostics& diagnostics);

// Solutions in C++ → code that a program calls: a function for each Definition that chooses among
// its Solutions and their configurations as kbench does (docs/kernels.md). Configurations that may
// be chosen are compiled: those that are stated, of candidates and of the heuristic, and of a small
// space all. Nothing of a Solution that cannot be called so: that is reported.
GeneratedCode generate_solutions(const CodegenInput& input, const CodegenOptions& options,
                                 Diagnostics& diagnostics);

// The files of an operator library of PyTorch, one function each. To add one: its function, its row
// in torch_library.cpp.
GeneratedCode generate_torch_library(const CodegenInput& input, const CodegenOptions& options,
                                     Diagnostics& diagnostics);

// Under which key of PyTorch's dispatcher kernels are called, and how.
struct TorchDispatch {
  std::string key;        // "CPU"
  std::string functions;  // "Functions.h"
  FunctionsPlace place;   // where its functions are
};

// An operator's name where PyTorch knows it: one of aten is defined in the library's namespace.
ops::OperatorName torch_name(const GeneratedOperator& one, const std::string& library);
// "m.impl("add.out", …);" of all operators; `function` is "call_{}", for their identifiers.
std::string implementations_text(const std::vector<GeneratedOperator>& operators,
                                 const std::string& library, const std::string& key,
                                 const std::string& function);

// Defines the operators.
std::string torch_schema_text(const std::vector<GeneratedOperator>& operators,
                              const std::string& library);
// Their kernels.
std::string torch_kernels_text(const std::vector<GeneratedOperator>& operators,
                               const std::string& library, const TorchDispatch& dispatch);
// The sizes of their outputs. Definitions that do not fit their operators are warned of.
std::string torch_meta_text(const std::vector<GeneratedOperator>& operators,
                            const CodegenInput& input, const std::string& library,
                            Diagnostics& diagnostics);

}  // namespace kbench
