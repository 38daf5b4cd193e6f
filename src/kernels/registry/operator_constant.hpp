// Constants that arguments of an operator are given: by op_arguments, or as a schema's default.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench {

// As BoundValue has it: nothing where it is no value of the type, or of more than 64 bits. Words
// are names of constants ("Mean", "channels_last", "Long", "inf"), of a str its characters.
std::optional<std::string> constant_of(const json::Value& value, ops::BaseType type);
// Returns the constant of a default that stands in a schema, where a str has its quotes.
std::optional<std::string> default_constant(std::string_view text, ops::BaseType type);

// What stands there, as a message says it.
std::string shown_constant(const json::Value& value);

}  // namespace kbench
