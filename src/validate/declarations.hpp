// Declarations of sidecars, and of Solutions under spec.kbench, held against the Definition: entry
// functions, configurations, batches, gradients, shardings.
#pragma once

#include <filesystem>
#include <vector>

#include "schema/scan.hpp"
#include "validate/report.hpp"

namespace kbench {

// Checks the Solutions of a scan of the trace set `root`. The sidecars are in the report already.
void check_declarations(const std::filesystem::path& root, const std::vector<ScannedFile>& files,
                        ValidationReport& report);

// Checks those of the report's files that are Solutions or sidecars, each beside the Definitions of
// the trace set around it; files in none are left alone.
void check_declarations_of_files(ValidationReport& report);

}  // namespace kbench
