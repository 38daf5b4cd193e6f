// The Solutions of a trace set that kbench kernels codegen --as solutions makes callable.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/contract/kernel_set.hpp"

namespace kbench {

struct ServedOptions {
  std::vector<std::string> definitions;  // chosen ones; none: all that have Solutions
  std::string overlay, tuned;            // overlay files: "" for none
};

// Finds them, of each Definition the best first. One that cannot be called so is left out with a
// warning; rows of the files that no configuration has are errors.
std::vector<ServedSolution> served_solutions(const KernelSet& kernels, const ServedOptions& options,
                                             Diagnostics& out);

}  // namespace kbench
