// Arguments of an operator: constants given by op_arguments or as a schema's default, and the run()
// of a Definition that calls it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/operator_binding.hpp"

namespace kbench {

// Returns the text of a constant; nullopt where it is none of the type, or of more than 64 bits.
// Words are names of constants ("Mean", "channels_last", "Long", "inf"), of a str its characters.
std::optional<std::string> constant_of(const json::Value& value, ops::BaseType type);
// Returns the constant of a default that stands in a schema, where a str has its quotes.
std::optional<std::string> default_constant(std::string_view text, ops::BaseType type);

// Returns a value as a message shows it.
std::string shown_constant(const json::Value& value);

// Writes Python that calls torch.ops.aten.<name> with the values of `binding`, where <name> is the
// operator's functional variant: the results are those that the operator writes. Returns "" where
// an argument cannot be written so: `why` names it.
std::string operator_reference(const Definition& definition, const OperatorBinding& binding,
                               std::string& why);

// Writes a run() that is to be filled in, and says why.
std::string unwritten_reference(const Definition& definition, const std::string& why);

}  // namespace kbench
