// What a tool of NVIDIA's compute-sanitizer printed: read out of the worker's output, as the
// reports of gcc's sanitizers are. Its forms: "Compute Sanitizer", NVIDIA's manual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/detail_records.hpp"

namespace kbench {

struct ToolReport {
  std::vector<SanitizerFinding> findings;  // in their order; what is said again is counted
  bool is_complete = false;                // it has summed up: it has checked what there was
  std::string trouble;                     // what kept it from checking, in its words; else ""
};

// `sources`: names that a place may have, whatever folder the tool says before them.
ToolReport read_tool_report(std::string_view output, std::string_view tool,
                            const std::vector<std::string>& sources);

// "SANITIZER memcheck: Invalid … at kernel.cu:12 in twice(float*) by thread (0,0,0) in block …"
std::string cause_of(const SanitizerFinding& finding);

}  // namespace kbench
