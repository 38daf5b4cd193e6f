// Which kernels are judged by which Definitions, and with which dtypes.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "contract/contract_subject.hpp"
#include "contract/kernel_set.hpp"
#include "registry/dtype_constraints.hpp"
#include "schema/targets.hpp"

namespace kbench {

struct ContractSubjects {
  std::vector<Subject> all;
  // The Definitions of the target with other dtypes, or with infinities and NaN, and their
  // workloads.
  std::vector<Stored<Definition>> definitions;
  std::vector<Stored<Trace>> workloads;
};

// Finds the subjects of the kernels that the options ask for. Warns of a kernel that no Definition
// reaches.
ContractSubjects find_subjects(const Target& target, const KernelSet& kernels,
                               const ContractOptions& options,
                               const std::vector<DtypeConstraints>& constraints,
                               Diagnostics& diagnostics);

}  // namespace kbench
