// Starters of kbench new definition and kbench new kernels. To add a starter: its row in
// starters.cpp, its folder in templates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scaffold/template.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct Starter {
  std::string_view name;  // its folder of templates, and op_type of what is made from it
  std::string_view doc;
  // Lengths of the var axes of the two workloads that are made with it.
  OrderedMap<std::int64_t> small, large;

  Definition definition() const;
  // A file of its folder: compute.cpp and backward.cpp are bodies of functions, in terms of what
  // cpp_header() and gradient_header() have; torch.cpp, cuda.cu and triton.py have a function
  // run().
  std::string text(std::string_view file, const TemplateValues& values = {}) const;
};

// The first is the default.
std::span<const Starter> starters();
const Starter* find_starter(std::string_view name);
// The one with this definition's axes' names, inputs, outputs and reference, whatever it is called
// and how long its axes are; none: its body would not compute it.
const Starter* starter_of(const Definition& definition);

// The definition's file, named as trace_set.hpp says.
NewFile definition_file(const Definition& definition);

// A kernel library in ExecuTorch's form, and a program that calls it. `name` is an identifier of
// C++: the folder of the files, the namespace of operator and kernel, and the target in CMake.
std::vector<NewFile> kernel_library_files(const std::string& name);

}  // namespace kbench
