// Kernel libraries → C++: the functions that call an operator's kernels, and what registers them.
// The files have the names of ExecuTorch's; they need src/candidate/kbench_*.h, and ExecuTorch's
// own headers where these are there. Source: ExecuTorch, codegen/gen.py. docs/kernels.md
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "registry/selected_kernels.hpp"
#include "registry/selection.hpp"

namespace kbench {

enum class Registration {
  at_start,  // when the program starts
  manual,    // when it calls a function
};

struct CodegenOptions {
  Registration registration = Registration::at_start;
  std::string library;                // for names: "mylib"; "" for none
  bool exception_boundary = false;    // what a kernel throws is a failure of its call
  bool dtype_header = false;          // selected_op_variants.h
  std::vector<std::string> prim_ops;  // selected_prim_ops.h, where there are some
};

struct CodegenInput {
  std::vector<SelectedKernel> kernels;
  OperatorSelection selection;
};

struct GeneratedFile {
  std::string name;
  std::string text;
};

// What generated code has no place for is left out with a warning: kernels for a GPU, and those
// with conditions on axes. The same input gives the same bytes.
std::vector<GeneratedFile> generate(const CodegenInput& input, const CodegenOptions& options,
                                    Diagnostics& diagnostics);

}  // namespace kbench
