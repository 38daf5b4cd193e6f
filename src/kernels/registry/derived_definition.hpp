// A Definition with other dtypes: what a kernel for those is judged by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/dtype_constraints.hpp"
#include "kernels/registry/operator_binding.hpp"

namespace kbench {

// What a Definition with other dtypes is called: "<name>_bfloat16" where that stands wherever the
// first tensor's dtype stood, else "<name>_float32_int32_float32" after all tensors; its own name
// where none is another.
std::string name_by_dtypes(const Definition& definition, const Definition& changed);

// With the dtypes of a key, called by these. Nothing where a rank is another, or a dtype is none
// that Definitions have.
std::optional<Definition> with_key(const Definition& definition, const OperatorBinding& binding,
                                   const KernelKey& key);

// With another dtype wherever the first tensor's is used.
Definition with_main_dtype(const Definition& definition, DType dtype);

// Judged by infinities and NaN as well, which must come out where the reference has them; called
// "<name>_special". Nothing where a tensor that is written has no such values, or none that is
// read.
std::optional<Definition> with_special_inputs(const Definition& definition);

// What dtype constraints allow the calls of a Definition.

// A tensor of a Definition, which are counted inputs first, and what it may be.
struct AllowedTensor {
  std::size_t tensor = 0;
  std::size_t alias = 0;
  std::uint64_t types = 0;
};
using AllowedTypes = std::vector<AllowedTensor>;

// The alternatives for calls of a Definition, whose numbers are what they are.
std::vector<AllowedTypes> allowed_types(const DtypeConstraints& constraints,
                                        const Definition& definition,
                                        const OperatorBinding& binding);

// The Definition with each combination of dtypes that is allowed and that Definitions have, at most
// `most`; all are called by their dtypes.
std::vector<Definition> allowed_definitions(const std::vector<AllowedTypes>& allowed,
                                            const Definition& definition, std::size_t most);

}  // namespace kbench
