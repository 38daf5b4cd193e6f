// Faults of a selection, held against the libraries that it is to be made from.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/selection.hpp"

namespace kbench {

// "" for a dtype, "default", and a key that calls of the operator can have. An operator that is not
// known is another matter.
std::string selected_key_problem(const KernelSet& kernels, const std::string& op,
                                 std::string_view word);

// Reports operators that no library has, which would be missing when the program runs. `level`: a
// warning where other libraries may have them.
void check_selected_names(const OperatorSelection& selection, const KernelSet& kernels,
                          const Source& source, Level level, Diagnostics& diagnostics);
void check_selected_keys(const OperatorSelection& selection, const KernelSet& kernels,
                         const Source& source, Diagnostics& diagnostics);

// Needs of an ExecuTorch program from kernel libraries: kbench kernels select --model.

// Adds the operators of a .pte file with the keys of its calls. Operators that ExecuTorch's runtime
// has itself are passed over, and told of like parts that go to delegates.
void select_of_model(const std::string& path, const KernelSet& kernels,
                     OperatorSelection& selection, Diagnostics& diagnostics);

}  // namespace kbench
