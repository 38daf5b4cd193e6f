// Generated files, one function each. A new one needs its function, and its row in codegen.cpp.
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/adapters.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/operators.hpp"

namespace kbench {

// Returns the first line of every generated file.
std::string generated_banner();

// Declares the kernels of these operators.
std::string native_functions_text(const std::vector<GeneratedOperator>& operators);
// Includes and namespace of the functions that call the kernel for an operator's tensors.
struct FunctionsPlace {
  std::string natives = "NativeFunctions.h";  // header that declares the kernels
  std::string name_space = "torch::executor";
};
std::string functions_text(const std::vector<GeneratedOperator>& operators,
                           const FunctionsPlace& place = {});
// Returns definitions that register all kernels, by name.
std::string registration_text(const std::vector<GeneratedOperator>& operators,
                              const CodegenOptions& options);
// Declares the functions that do so by hand.
std::string register_header_text(const CodegenOptions& options);

// Tells which kernels of an operator are built, dtype by dtype. Source: ExecuTorch,
// codegen/tools/gen_selected_op_variants.py.
std::string selected_variants_text(const OperatorSelection& selection);
// Defines the number of registered kernels, of these operators and of those of other libraries,
// unless all may be. Source: ExecuTorch, codegen/tools/gen_max_kernel_num.py.
std::string kernel_number_text(const std::vector<GeneratedOperator>& operators,
                               const OperatorSelection& selection, std::size_t prim_ops);
// Source: ExecuTorch, codegen/tools/gen_selected_prim_ops.py.
std::string prim_ops_text(const std::vector<std::string>& prim_ops);

// Generates a library of functions for TVM-FFI, which tvm_ffi.load_module() takes. Each operator is
// a function "mylib_add_out", which takes the arguments of its schema in their order and returns
// nothing.
GeneratedCode generate_tvm_ffi_library(const CodegenInput& input, const CodegenOptions& options,
                                       Diagnostics& diagnostics);

// Generates code of Solutions in C++ that a program calls: a function for each Definition that
// chooses among its Solutions and their configurations as kbench does (docs/kernels.md). Compiled
// are stated configurations, candidates, those of the heuristic, and all of a small space.
// Solutions that cannot be called so are reported, and left out.
GeneratedCode generate_solutions(const CodegenInput& input, const CodegenOptions& options,
                                 Diagnostics& diagnostics);

// Generates the files of an operator library of PyTorch, one function each. A new one needs its
// function, and its row in torch_library.cpp.
GeneratedCode generate_torch_library(const CodegenInput& input, const CodegenOptions& options,
                                     Diagnostics& diagnostics);

// Key of PyTorch's dispatcher under which kernels are called, and their functions.
struct TorchDispatch {
  std::string key;        // "CPU"
  std::string functions;  // header: "Functions.h"
  FunctionsPlace place;   // place of its functions
};

// Returns an operator's name in PyTorch: one of aten is defined in the library's namespace.
ops::OperatorName torch_name(const GeneratedOperator& one, const std::string& library);
// Returns "m.impl("add.out", …);" of all operators; `function` is "call_{}", for their identifiers.
std::string implementations_text(const std::vector<GeneratedOperator>& operators,
                                 const std::string& library, const std::string& key,
                                 const std::string& function);

// Defines the operators.
std::string torch_schema_text(const std::vector<GeneratedOperator>& operators,
                              const std::string& library);
// Defines their kernels.
std::string torch_kernels_text(const std::vector<GeneratedOperator>& operators,
                               const std::string& library, const TorchDispatch& dispatch);
// Infers the sizes of their outputs. Definitions that do not fit their operators are warned of.
std::string torch_meta_text(const std::vector<GeneratedOperator>& operators,
                            const CodegenInput& input, const std::string& library,
                            Diagnostics& diagnostics);

}  // namespace kbench
