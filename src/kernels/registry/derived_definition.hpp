// Definition with other dtypes, by which a kernel for those is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/dtype_constraints.hpp"
#include "kernels/registry/operator_binding.hpp"

namespace kbench {

// Returns the name of a Definition with other dtypes: "<name>_bfloat16" where that stands wherever
// the first tensor's dtype stood, else "<name>_float32_int32_float32" after all tensors; its own
// name where no dtype differs.
std::string name_by_dtypes(const Definition& definition, const Definition& changed);

// Returns the Definition with the dtypes of a key, named after them; nullopt where a rank differs,
// or a dtype is none that Definitions have.
std::optional<Definition> with_key(const Definition& definition, const OperatorBinding& binding,
                                   const KernelKey& key);

// Returns the Definition with another dtype wherever the first tensor's is used.
Definition with_main_dtype(const Definition& definition, DType dtype);

// Returns "<name>_special", judged by infinities and NaN as well, which must come out where the
// reference has them; nullopt where a tensor that is written has no such values, or none that is
// read.
std::optional<Definition> with_special_inputs(const Definition& definition);

// Calls of a Definition that dtype constraints allow.

// Tensor of a Definition, inputs counted first, and the dtypes that it may have.
struct AllowedTensor {
  std::size_t tensor = 0;
  std::size_t alias = 0;
  std::uint64_t types = 0;
};
using AllowedTypes = std::vector<AllowedTensor>;

// Returns the alternatives for calls of a Definition, whose numbers keep their types.
std::vector<AllowedTypes> allowed_types(const DtypeConstraints& constraints,
                                        const Definition& definition,
                                        const OperatorBinding& binding);

// Returns the Definition with each combination of dtypes that is allowed and that Definitions have,
// at most `most`; all are named after their dtypes.
std::vector<Definition> allowed_definitions(const std::vector<AllowedTypes>& allowed,
                                            const Definition& definition, std::size_t most);

}  // namespace kbench
