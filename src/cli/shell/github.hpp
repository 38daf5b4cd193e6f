// What `--format github` needs beside the records.
#pragma once

#include <string>
#include <vector>

#include "report/format.hpp"
#include "schema/targets.hpp"

namespace kbench {

// The files of the solutions of trace sets: a source that lies beside its JSON, with that text, has
// a file of its own. `targets` outlive it.
FileOf files_of_solutions(const std::vector<Target>& targets);

// Appends to the file that GitHub names in GITHUB_STEP_SUMMARY; outside of its checks nothing.
void append_step_summary(const std::string& markdown);

}  // namespace kbench
