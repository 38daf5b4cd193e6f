// The defaults of arguments.
#pragma once

#include <string>
#include <vector>

#include "operators/parse.hpp"
#include "operators/piece.hpp"

namespace kbench::ops {

// What stands behind the = at byte `equals` of an argument, without blanks outside of strings. That
// it fits `type` is checked, where that is known: None for an optional, a list for a list (a single
// value for one with a size), numbers, strings, True and False.
std::string parse_default(Piece argument, std::size_t equals, const Type* type,
                          std::vector<Flaw>& flaws);

}  // namespace kbench::ops
