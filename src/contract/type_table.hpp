// Dtype constraints as the contract's checks have them.
#pragma once

#include <string>
#include <vector>

#include "registry/allowed_types.hpp"

namespace kbench {

// Returns a class of kbench_contract.h: "TypeTableCall<2, 0, 0, 0x40ull, …>". `allowed` has at
// least one alternative.
std::string type_table_class(const std::vector<AllowedTypes>& allowed);

}  // namespace kbench
