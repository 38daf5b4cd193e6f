// What can be said of a solution's kernels without running them, as tables.
#pragma once

#include <string>
#include <vector>

#include "report/grid.hpp"
#include "schema/compiled.hpp"

namespace kbench {

// One of its kernels, and one of the accesses that cost more than they need; without rows where
// there is nothing to say.
std::vector<Grid> compiled_grids(const std::string& solution, const Compiled& compiled);

}  // namespace kbench
