// GitHub's checks: annotations beside the lines of a change, and a summary under it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/format.hpp"
#include "report/gate.hpp"

namespace kbench {

// A cause may have a compiler's log below its first line.
std::string first_line(const std::string& text);

// Annotations, one for each place and kind of failure, with the number of workloads that it is of.
std::vector<GithubAnnotation> github_annotations(std::span<const Trace> traces,
                                                 const FileOf& file_of);

// Markdown for $GITHUB_STEP_SUMMARY: failures first, then everything where there is room: a step
// may write 1 MiB.
std::string github_summary(std::span<const Trace> traces);
std::string github_summary(const GateReport& report);

}  // namespace kbench
