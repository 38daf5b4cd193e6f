// Readers of the arguments and returns of a schema's text.
#pragma once

#include <string>
#include <vector>

#include "kernels/operators/name_rules.hpp"
#include "kernels/operators/parse.hpp"

namespace kbench::ops {

// Flaw of blanks at `at`, where torchgen wants `should_be`.
Flaw blank_flaw(std::size_t at, std::string_view should_be);

// Parts that cannot be understood are added to `flaws`; the rest is returned all the same.
Argument parse_argument(Piece piece, std::vector<Flaw>& flaws);
Return parse_return(Piece piece, std::vector<Flaw>& flaws);

// Defaults of arguments.

// Returns the text behind the = at byte `equals` of an argument, without blanks outside of strings.
// A known `type` must have such a default: None for an optional, a list for a list (a single value
// for one with a size), numbers, strings, True and False.
std::string parse_default(Piece argument, std::size_t equals, const Type* type,
                          std::vector<Flaw>& flaws);

}  // namespace kbench::ops
