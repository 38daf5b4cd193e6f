// Dtype constraints as the contract's checks have them.
#pragma once

#include <string>
#include <vector>

#include "registry/allowed_types.hpp"

namespace kbench {

// "TypeTableCall<2, 0, 0, 0x40ull, …>": a class of kbench_contract.h. Of one alternative at least.
std::string type_table_class(const std::vector<AllowedTypes>& allowed);

}  // namespace kbench
