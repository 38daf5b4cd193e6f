// The dtype constraints that kbench kernels test is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "contract/kernel_set.hpp"
#include "registry/dtype_constraints.hpp"

namespace kbench {

// Reads the dtype constraints of a file; the name "" gives none. Returns nothing where one is
// wrong, or is for an operator that no library has; that is reported.
std::optional<std::vector<DtypeConstraints>> contract_constraints(const std::string& file,
                                                                  const KernelSet& kernels,
                                                                  Diagnostics& diagnostics);

}  // namespace kbench
