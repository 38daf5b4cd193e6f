// A source of a solution whose text lies in a file beside it.
#pragma once

#include "schema/read_context.hpp"
#include "schema/solution.hpp"

namespace kbench {

// kbench lets a source's text lie in a file beside the solution. True when a "content" that is
// missing is no mistake, or has been said to be one.
bool fill_source(ReadContext& context, const json::Value& value, const JsonPath* parent,
                 SourceFile& source);

}  // namespace kbench
