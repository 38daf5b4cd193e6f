// The names of what kbench itself makes of references: by torch.compile, and as they are.
#pragma once

#include <algorithm>
#include <string_view>

#include "schema/solution.hpp"

namespace kbench {

constexpr std::string_view names_of_references[] = {compiled_reference_name, "reference"};

constexpr bool is_of_reference(std::string_view solution) {
  return std::ranges::find(names_of_references, solution) != std::end(names_of_references);
}

}  // namespace kbench
