// The run() of a Definition that calls an operator of PyTorch.
#pragma once

#include <string>

#include "kernels/registry/operator_binding.hpp"

namespace kbench {

// Python that calls torch.ops.aten.<name> with what `binding` gives to the operator, whose
// functional variant has that name: the results are those that the operator writes. "" where an
// argument cannot be written so, which `why` says.
std::string operator_reference(const Definition& definition, const OperatorBinding& binding,
                               std::string& why);

// A run() that is to be written, and says why.
std::string unwritten_reference(const Definition& definition, const std::string& why);

}  // namespace kbench
