// Which function of a Solution is called once, before its calls: docs/solutions.md.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "registry/methods.hpp"

namespace kbench {

// As the sources of the Solution export it or `declared` has it, for calls of it by itself; nothing
// where there is none. Or why kbench cannot call what is declared.
std::variant<std::optional<FoundMethod>, std::string> prepare_function(const Solution& solution,
                                                                       const Methods& declared);

}  // namespace kbench
