// The files of an operator library of PyTorch, one function each. To add one: its function, its row
// in torch_library.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/adapters.hpp"
#include "codegen/codegen.hpp"
#include "codegen/files.hpp"
#include "codegen/operators.hpp"

namespace kbench {

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
