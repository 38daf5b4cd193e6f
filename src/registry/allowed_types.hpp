// What dtype constraints allow the calls of a Definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "registry/dtype_constraints.hpp"
#include "registry/operator_binding.hpp"

namespace kbench {

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
