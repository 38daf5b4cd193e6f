// Arguments of an operator: constants that they are given, by op_arguments or as a schema's
// default, and the run() of a Definition that calls it with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/operator_binding.hpp"

namespace kbench {

// As BoundValue has it: nothing where it is no value of the type, or of more than 64 bits. Words
// are names of constants ("Mean", "channels_last", "Long", "inf"), of a str its characters.
std::optional<std::string> constant_of(const json::Value& value, ops::BaseType type);
// Returns the constant of a default that stands in a schema, where a str has its quotes.
std::optional<std::string> default_constant(std::string_view text, ops::BaseType type);

// What stands there, as a message says it.
std::string shown_constant(const json::Value& value);

// Python that calls torch.ops.aten.<name> with what `binding` gives to the operator, whose
// functional variant has that name: the results are those that the operator writes. "" where an
// argument cannot be written so, which `why` says.
std::string operator_reference(const Definition& definition, const OperatorBinding& binding,
                               std::string& why);

// A run() that is to be written, and says why.
std::string unwritten_reference(const Definition& definition, const std::string& why);

}  // namespace kbench
