// Which kinds of rows a structured input set has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/row_kind.hpp"
#include "data/structure.hpp"

namespace kbench {

// In the order in which they come; none of sets that have no rows. `reference` is its text.
std::vector<RowKind> kinds_of_rows(InputSet set, const std::string& reference);

// Returns the kinds in a tensor of so many rows: a tensor of one row has no plain one, which says
// no more than random inputs.
std::vector<RowKind> kinds_in(std::size_t rows, const std::vector<RowKind>& kinds);

}  // namespace kbench
