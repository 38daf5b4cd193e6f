// A folder that FlashInfer's Trace Apply reads (docs.flashinfer.ai/trace_apply.html): definitions,
// and one solution of each.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/diagnostic.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Says why Trace Apply cannot load a solution, "" where it can.
std::string not_applicable(const Solution& solution);

// Writes definitions and solutions, `chosen` by definition, below `folder`. Others below it would
// be applied too, so a folder that has solutions already is an error. A definition that Trace Apply
// never calls is warned of. Throws std::system_error where it cannot be written.
void write_trace_apply(const std::filesystem::path& folder, const TraceSet& set,
                       const std::map<std::string, std::string>& chosen, Diagnostics& reports);

}  // namespace kbench
