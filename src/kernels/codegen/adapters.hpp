// Parts of generated code that calls operators with another framework's arguments, whichever it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/codegen/operators.hpp"

namespace kbench {

// Returns the arguments that are returned, by their positions; nullopt where another value is.
std::optional<std::vector<std::size_t>> returned_arguments(const ops::Schema& schema);

// Returns the kernels without a reason to be left out, and warns of the others.
std::vector<SelectedKernel> servable(
    const std::vector<SelectedKernel>& kernels,
    const std::function<std::string(const SelectedKernel& kernel)>& why_left_out,
    Diagnostics& diagnostics);

// Reports operators that come to have one name.
void check_names(const std::vector<GeneratedOperator>& operators,
                 const std::function<std::string(const GeneratedOperator& one)>& name_of,
                 const std::string& hint, Diagnostics& diagnostics);

// Returns the statements that call `function` with the arguments of a `call`, by kbench_held.h.
std::string held_call_text(const ops::Schema& schema, const std::string& function);

// Returns "0, 3".
std::string numbers_text(const std::vector<std::size_t>& numbers);

}  // namespace kbench
