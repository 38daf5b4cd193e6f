// Texts of share/kbench/templates, with their placeholders filled in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/definition.hpp"

namespace kbench {

// A file that kbench new makes, before it is written.
struct NewFile {
  std::string path;  // path below the trace set's root
  std::string text;
};

using TemplateValues = std::vector<std::pair<std::string_view, std::string>>;

// Returns the text of <name>.in with a value in the place of each "{{name}}". A value that ends a
// line, or is "", takes the end of its placeholder's line with it. Throws std::runtime_error where
// a name has no value, std::system_error where there is no such template.
std::string filled(const std::string& name, const TemplateValues& values = {});

// Starters of kbench new definition and kbench new kernels. A new starter is a row in template.cpp
// and a folder in templates.
struct Starter {
  std::string_view name;  // its folder of templates, and op_type of its definition
  std::string_view doc;
  // Lengths of the var axes of the two workloads that are made with it.
  OrderedMap<std::int64_t> small, large;

  Definition definition() const;
  // Returns a file of its folder: compute.cpp and backward.cpp are bodies of functions, in terms of
  // the names of cpp_header() and gradient_header(); torch.cpp, cuda.cu and triton.py have a
  // function run().
  std::string text(std::string_view file, const TemplateValues& values = {}) const;
};

// Starters, of which the first is the default.
std::span<const Starter> starters();
const Starter* find_starter(std::string_view name);
// Finds the starter with this definition's axes' names, inputs, outputs and reference, whatever its
// name and lengths of axes; null: no body computes it.
const Starter* starter_of(const Definition& definition);

// The definition's file, named as trace_set.hpp says.
NewFile definition_file(const Definition& definition);

// A kernel library in ExecuTorch's form, and a program that calls it. `name` is an identifier of
// C++: the folder of the files, the namespace of operator and kernel, and the target in CMake.
std::vector<NewFile> kernel_library_files(const std::string& name);

}  // namespace kbench
