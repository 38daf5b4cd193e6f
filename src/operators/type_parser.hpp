// The arguments and returns of a schema's text.
#pragma once

#include <vector>

#include "operators/parse.hpp"
#include "operators/piece.hpp"

namespace kbench::ops {

// That torchgen wants `should_be` at `at`, where there are other blanks.
Flaw blank_flaw(std::size_t at, std::string_view should_be);

// What cannot be understood is added to `flaws`; of the rest something is returned all the same.
Argument parse_argument(Piece piece, std::vector<Flaw>& flaws);
Return parse_return(Piece piece, std::vector<Flaw>& flaws);

}  // namespace kbench::ops
