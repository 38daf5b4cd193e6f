// What kbench new definition begins with. To add one: its row in starters.cpp.
#pragma once

#include <span>
#include <string_view>

#include "scaffold/new_file.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct Starter {
  std::string_view name;  // and op_type of what is made from it
  std::string_view doc;
  Definition (*definition)();
  std::string_view cpp_body;  // of compute(), in terms of its Arguments `a`: computes the reference
  // The bodies of forward() and backward(), in terms of what gradient_header() has.
  std::string_view cpp_forward, cpp_backward;
  // Whole texts behind the includes, with a function run(): by PyTorch's C++, in CUDA, in Triton.
  std::string_view torch_text, cuda_text, triton_text;
  // Lengths of the var axes of the two workloads that are made with it.
  OrderedMap<std::int64_t> small, large;
};

// The first is the default.
std::span<const Starter> starters();
const Starter* find_starter(std::string_view name);
// The one with this definition's axes' names, inputs, outputs and reference, whatever it is called
// and how long its axes are; none: its body would not compute it.
const Starter* starter_of(const Definition& definition);

// The definition's file, named as trace_set.hpp says.
NewFile definition_file(const Definition& definition);

}  // namespace kbench
