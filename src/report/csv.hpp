// Fields of CSV, RFC 4180.
#pragma once

#include <string>
#include <string_view>

#include "schema/trace.hpp"

namespace kbench {

// In quotes where it holds a comma, a quote or an end of line. Characters that no terminal should
// obey are written out, and what a spreadsheet would take for a formula (=1+1, -x) has an
// apostrophe before it.
std::string csv_field(std::string_view text);

// The first line of what write_csv() makes of traces, and the one of an evaluated trace.
std::string csv_header();
std::string csv_row(const Trace& trace);

}  // namespace kbench
