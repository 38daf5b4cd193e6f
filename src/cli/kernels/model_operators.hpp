// What a program of ExecuTorch needs of kernel libraries: kbench kernels select --model.
#pragma once

#include <string>

#include "contract/kernel_set.hpp"
#include "registry/selection.hpp"

namespace kbench {

// Adds the operators of a .pte file with the keys of its calls. What ExecuTorch's runtime has
// itself is passed over, and told of like parts that go to delegates.
void select_of_model(const std::string& path, const KernelSet& kernels,
                     OperatorSelection& selection, Diagnostics& diagnostics);

}  // namespace kbench
