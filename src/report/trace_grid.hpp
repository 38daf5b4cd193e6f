// Traces as tables: one a definition, one row each.
#pragma once

#include <span>
#include <vector>

#include "report/grid.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Traces without an evaluation have no row. A row of JSON or CSV has all that people see, and more:
// `rates` says whether people see GFLOP/s and GB/s.
std::vector<Grid> trace_grids(std::span<const Trace> traces, bool rates);

// The first line of traces as CSV, and the one of an evaluated trace.
std::string csv_header();
std::string csv_row(const Trace& trace);

}  // namespace kbench
