// The dtype constraints that kbench kernels test is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/kernel_set.hpp"
#include "registry/dtype_constraints.hpp"

namespace kbench {

// Those of a file, none of "". Nothing where one is wrong, or is for what no library has, which is
// reported.
std::optional<std::vector<DtypeConstraints>> contract_constraints(const std::string& file,
                                                                  const KernelSet& kernels,
                                                                  Diagnostics& diagnostics);

}  // namespace kbench
