// A library of functions for TVM-FFI, which tvm_ffi.load_module() takes.
#pragma once

#include "kernels/codegen/codegen.hpp"

namespace kbench {

// Each operator is a function "mylib_add_out", which takes the arguments of its schema in their
// order and returns nothing.
GeneratedCode generate_tvm_ffi_library(const CodegenInput& input, const CodegenOptions& options,
                                       Diagnostics& diagnostics);

}  // namespace kbench
