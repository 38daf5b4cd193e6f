// Kernel libraries → C++: the functions that call an operator's kernels, and what registers them
// where. For ExecuTorch the files have the names of its own; they need include/kbench/kbench_*.h,
// and ExecuTorch's headers where these are there. Source: ExecuTorch, codegen/gen.py.
// docs/kernels.md
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
  at_start,  // when the program starts
  manual,    // when it calls a function
};

struct CodegenOptions {
  Registration registration = Registration::at_start;
  std::string library;                // for names: "mylib"; "" for none. PyTorch's aten operators
                                      // are defined in a namespace of this name
  bool exception_boundary = false;    // what a kernel throws is a failure of its call
  bool dtype_header = false;          // selected_op_variants.h
  std::vector<std::string> prim_ops;  // selected_prim_ops.h, where there are some
  std::string target = "executorch";  // one of codegen_targets()
};

// A configuration that somebody has stated for calls: of an overlay, or of what was tuned.
struct StatedConfiguration {
  std::vector<std::string> conditions;  // over the call: all must hold
  Configuration values;
};

// A Solution as it is called, of those of its Definition the best first.
struct ServedSolution {
  const Definition* definition = nullptr;
  Solution solution;
  Tunables tunables;
  std::vector<std::string> conditions;              // which calls it is for
  std::string cpu_feature;                          // as __builtin_cpu_supports() calls it; "": any
  std::vector<StatedConfiguration> overlay, store;  // the last one that fits counts
};

struct CodegenInput {
  std::vector<SelectedKernel> kernels;
  OperatorSelection selection;
  std::vector<const Definition*> definitions = {};  // say what sizes outputs get
  std::vector<SelectedKernel> all = {};        // what they are selected from; none: these are all
  std::vector<ServedSolution> solutions = {};  // in the place of kernels, for the target of theirs
};

struct GeneratedFile {
  std::string name;
  std::string text;
};

struct GeneratedCode {
  std::vector<GeneratedFile> files;
  std::size_t kernels = 0;  // that it calls, each under each of its keys
};

// What the files are for. To add one: its function, its row in codegen.cpp.
struct CodegenTarget {
  std::string_view name;
  std::span<const std::string_view> runtime_files;  // of include/kbench, that the files need
  GeneratedCode (*generate)(const CodegenInput& input, const CodegenOptions& options,
                            Diagnostics& diagnostics);
};
std::span<const CodegenTarget> codegen_targets();
// What every target ships besides, of include/kbench.
std::span<const std::string_view> kernel_source_headers();
// nullptr for an unknown name.
const CodegenTarget* find_codegen_target(std::string_view name);

// Generates code for the target of the options, which must be known. What generated code has no
// place for is left out with a warning: kernels with conditions on axes, those for devices that it
// cannot call, and for PyTorch and TVM-FFI those that return new tensors. The same input gives the
// same bytes.
GeneratedCode generate(const CodegenInput& input, const CodegenOptions& options,
                       Diagnostics& diagnostics);

// Texts of others as literals of the languages that are generated: nothing in them is code.

// A string literal of C++, control characters by their numbers.
std::string quoted_in_cpp(std::string_view text);

// The rest of a line of C++ behind "//": nothing in it ends the line, or makes it two.
std::string comment_in_cpp(std::string_view text);

// A quoted argument of CMake, which is one element of a list.
std::string quoted_in_cmake(std::string_view text);

}  // namespace kbench
