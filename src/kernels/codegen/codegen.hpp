// Kernel libraries → C++: the functions that call an operator's kernels, and the code that
// registers them. Files for ExecuTorch have the names of its own; they need
// include/kbench/kbench_*.h, and ExecuTorch's headers where these are there. Source: ExecuTorch,
// codegen/gen.py. docs/kernels.md
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/selected_kernels.hpp"
#include "kernels/registry/selection.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

enum class Registration {
  at_start,  // runs when the program starts
  manual,    // runs when the program calls a function
};

struct CodegenOptions {
  Registration registration = Registration::at_start;
  std::string library;                // part of names: "mylib"; "" for none. PyTorch's aten
                                      // operators are defined in a namespace of this name
  bool exception_boundary = false;    // exceptions of a kernel are failures of its call
  bool dtype_header = false;          // selected_op_variants.h is written
  std::vector<std::string> prim_ops;  // names for selected_prim_ops.h; none: no such file
  std::string target = "executorch";  // one of codegen_targets()
};

// Configuration that an overlay or a store of tuned ones states for calls.
struct StatedConfiguration {
  std::vector<std::string> conditions;  // conditions over the call: all must hold
  Configuration values;
};

// Solution as it is called; those of a Definition come the best first.
struct ServedSolution {
  const Definition* definition = nullptr;
  Solution solution;
  Tunables tunables;
  std::vector<std::string> conditions;              // conditions of the calls it is for
  std::string cpu_feature;                          // name for __builtin_cpu_supports(); "": any
  std::vector<StatedConfiguration> overlay, store;  // the last one that fits counts
};

struct CodegenInput {
  std::vector<SelectedKernel> kernels;
  OperatorSelection selection;
  std::vector<const Definition*> definitions = {};  // sources of the sizes of outputs
  std::vector<SelectedKernel> all = {};        // kernels before the selection; none: these are all
  std::vector<ServedSolution> solutions = {};  // used instead of kernels, for their target
};

struct GeneratedFile {
  std::string name;
  std::string text;
};

struct GeneratedCode {
  std::vector<GeneratedFile> files;
  std::size_t kernels = 0;  // calls of kernels, each under each of its keys
};

// Target of the files. A new one needs its function and its row in codegen.cpp.
struct CodegenTarget {
  std::string_view name;
  std::span<const std::string_view> runtime_files;  // files of include/kbench
  GeneratedCode (*generate)(const CodegenInput& input, const CodegenOptions& options,
                            Diagnostics& diagnostics);
};
std::span<const CodegenTarget> codegen_targets();
// Returns further files of include/kbench, which every target ships.
std::span<const std::string_view> kernel_source_headers();
// Returns nullptr for an unknown name.
const CodegenTarget* find_codegen_target(std::string_view name);

// Generates code for the target of the options, which must be known. Kernels for which generated
// code has no place are left out with a warning: those with conditions on axes, those for devices
// that it cannot call, and for PyTorch and TVM-FFI those that return new tensors. The same input
// gives the same bytes.
GeneratedCode generate(const CodegenInput& input, const CodegenOptions& options,
                       Diagnostics& diagnostics);

// Texts of others as literals of the languages that are generated: nothing in them is code.

// Returns a string literal of C++; control characters and bytes above 0x7e are octal escapes.
std::string quoted_in_cpp(std::string_view text);

// Returns the rest of a line of C++ behind "//": nothing in it ends the line, or makes it two.
std::string comment_in_cpp(std::string_view text);

// Returns a quoted argument of CMake, which is one element of a list.
std::string quoted_in_cmake(std::string_view text);

}  // namespace kbench
