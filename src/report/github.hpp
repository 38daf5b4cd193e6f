// For GitHub's checks: annotations beside the lines of a change, and a summary under it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "report/format.hpp"
#include "report/gate.hpp"

namespace kbench {

struct GithubAnnotation {
  std::string level = "error";  // "error", "warning" or "notice"
  std::string title;
  std::string message;
  std::string file = {};  // relative to the repository's root; "": of none
  int line = 0;           // 0: of the whole file
  int column = 0;
};

// A cause may have a compiler's log below its first line.
std::string first_line(const std::string& text);

// A workflow command, with a line break at its end ("Workflow commands for GitHub Actions").
std::string github_command(const GithubAnnotation& annotation);

// An error or a warning, at its place.
GithubAnnotation annotation_of(const Diagnostic& problem);

// One for each place and kind of failure, with the number of workloads that it is of.
std::vector<GithubAnnotation> github_annotations(std::span<const Trace> traces,
                                                 const FileOf& file_of);

// Markdown for $GITHUB_STEP_SUMMARY: what failed, then everything where there is room: a step may
// write 1 MiB.
std::string github_summary(std::span<const Trace> traces);
std::string github_summary(const GateReport& report);

}  // namespace kbench
