// Kernels as candidates: C++ that calls one as a Definition calls its Solutions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/operator_binding.hpp"
#include "schema/definition.hpp"

namespace kbench {

// Kernel for a Definition.
struct DefinitionCall {
  const Definition* definition = nullptr;
  const OperatorBinding* binding = nullptr;
  std::string symbol;                                        // "mylib::native::add_out"
  std::vector<std::pair<std::string, std::string>> exports;  // export names, and their classes of
                                                             // kbench_call.h, which call it
  std::vector<std::string> conditions = {};                  // conditions over the axes
  std::optional<KernelKey> key = {};                         // dim order of the tensors
};

// Says why an operator's kernels have no such calls; "" where they have: inputs may only be read.
std::string call_problem(const OperatorBinding& binding);

// Returns a source for all of them. `headers` are included.
std::string definition_calls_text(const std::vector<DefinitionCall>& calls,
                                  const std::vector<std::string>& headers);

}  // namespace kbench
