// Plan of kbench kernels test: each kernel of libraries, check by check.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/contract/kernel_run.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/contract/kernel_workloads.hpp"
#include "kernels/registry/derived_definition.hpp"
#include "kernels/registry/dtype_constraints.hpp"
#include "schema/targets.hpp"

namespace kbench {

enum class CheckedKernels {
  all,
  any_type,     // defaults, and those whose key names no element type
  any_order,    // defaults, and those whose key names no dim order
  any_sizes,    // those of any_order without conditions
  constrained,  // defaults, on the Definition with each combination of dtypes that is allowed
  dispatching,  // the function that chooses, of an operator with kernels for certain tensors
};

// Tensors without which a check tells nothing.
enum class CheckedTensors {
  any,
  matrices,  // one has two axes longer than 1: others are alike in all dim orders
  images,    // matrices, and one has four axes
  special,   // numbers that may be infinite or NaN
};

// Check of the contract, made by a class of kbench_contract.h. A new one needs its class there, and
// its row in kernel_contract.cpp.
struct ContractCheck {
  std::string_view ids;   // "C7", or several with blanks between
  std::string_view name;  // "order_reversed"
  std::string_view doc;
  std::string_view call_class;
  CheckedKernels kernels = CheckedKernels::all;
  CheckedTensors tensors = CheckedTensors::any;
  CheckedWorkloads workloads = CheckedWorkloads::smallest;
};
std::span<const ContractCheck> contract_checks();

struct ContractOptions {
  std::vector<std::string> ops;     // full names of operators; none: all
  std::vector<std::string> only;    // ids of checks; none: all
  std::vector<std::string> dtypes;  // further dtypes that replace a Definition's main one
  std::string constraints;          // file of dtype constraints, for C3; "": none
};

// Puts the kernels, once for each check, in the place of the target's solutions. Kernels for
// tensors of other dtypes than a Definition's are judged on the Definition with their dtypes. A
// kernel that no Definition reaches is warned of.
KernelRun plan_contract(Target& target, const KernelSet& kernels, const ContractOptions& options,
                        Diagnostics& diagnostics);

// Dtype constraints for kbench kernels test.

// Reads the dtype constraints of a file; the name "" gives none. Returns nullopt where one is
// wrong, or is for an operator that no library has; that is reported.
std::optional<std::vector<DtypeConstraints>> contract_constraints(const std::string& file,
                                                                  const KernelSet& kernels,
                                                                  Diagnostics& diagnostics);

// Dtype constraints as types of the contract's checks.

// Returns a class of kbench_contract.h: "TypeTableCall<2, 0, 0, 0x40ull, …>". `allowed` has at
// least one alternative.
std::string type_table_class(const std::vector<AllowedTypes>& allowed);

}  // namespace kbench
