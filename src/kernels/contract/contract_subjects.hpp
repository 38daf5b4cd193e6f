// Kernels, and the Definitions, with their dtypes, by which they are judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/contract/kernel_contract.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/derived_definition.hpp"
#include "kernels/registry/dtype_constraints.hpp"
#include "kernels/registry/operator_binding.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "schema/targets.hpp"

namespace kbench {

// Subjects of the contract's checks, and tests whether a check can tell anything of them.

// Kernel, or the function that chooses one, and the Definition that it is judged by.
struct Subject {
  const KernelLibrary* library = nullptr;
  const OperatorEntry* entry = nullptr;
  const Kernel* kernel = nullptr;
  std::optional<KernelKey> key;  // nullopt: as the default
  bool is_dispatch = false;
  std::string definition;  // name of the Definition
  OperatorBinding binding;
  bool is_special = false;            // Definition has infinities and NaN
  bool is_constrained = false;        // Definition has dtypes that constraints allow, for C3
  std::vector<AllowedTypes> allowed;  // alternatives of dtype constraints, where there are some
};

// Tells whether a check concerns a subject.
bool concerns(const ContractCheck& check, const Subject& subject);

// Tells whether the dim order of a key's tensor is other than that of its dimensions.
bool is_turned(const std::optional<KernelKey>& key);

// Tells whether an operator has a kernel for tensors in the order of their dimensions, or for those
// of four with the channels last.
bool is_served(const OperatorEntry& entry, KernelKey key, bool channels_last);

bool has_four_axes(const Definition& definition);

struct ContractSubjects {
  std::vector<Subject> all;
  // Definitions of the target with other dtypes, or with infinities and NaN, and their workloads.
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
