// Kernels as candidates: C++ that calls one as a Definition calls its Solutions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/operator_binding.hpp"
#include "schema/definition.hpp"

namespace kbench {

// A kernel for a Definition.
struct DefinitionCall {
  const Definition* definition = nullptr;
  const OperatorBinding* binding = nullptr;
  std::string symbol;                                        // "mylib::native::add_out"
  std::vector<std::pair<std::string, std::string>> exports;  // what it is exported as, and the
                                                             // class of kbench_call.h that calls it
  std::vector<std::string> conditions = {};                  // over the axes, as a kernel has them
  std::optional<KernelKey> key = {};                         // how the tensors lie
};

// Why there are no such calls of an operator's kernels, "" where there are: inputs are read alone.
std::string call_problem(const OperatorBinding& binding);

// A source for all of them. `headers` are included.
std::string definition_calls_text(const std::vector<DefinitionCall>& calls,
                                  const std::vector<std::string>& headers);

}  // namespace kbench
