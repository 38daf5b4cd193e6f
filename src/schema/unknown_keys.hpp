// Keys that an object should have and lacks, and keys that no field of its record has: most are
// misspelt, so both are told with the key that was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schema/read_context.hpp"

namespace kbench {

// An error: `value` lacks the key `name`. `known`: the names of the record's fields.
void report_missing(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::string_view name, std::span<const std::string> known);

// Keys of `value` that are not `known`: errors when reading strictly, else warnings about those
// that look misspelt, or about `all`.
void report_unknown(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::span<const std::string> known, bool all = false);

}  // namespace kbench
