// Reports of the tools of NVIDIA's compute-sanitizer, read out of the worker's output, as those of
// gcc's sanitizers are. Their forms: "Compute Sanitizer", NVIDIA's manual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/detail_records.hpp"

namespace kbench {

struct ToolReport {
  std::vector<SanitizerFinding> findings;  // each once, in the output's order, with its count
  bool is_complete = false;                // it has a summary: all was checked
  std::string trouble;                     // obstacle to checking, in the tool's words; "": none
};

// `sources`: names that a place may have, whatever folder the tool says before them.
ToolReport read_tool_report(std::string_view output, std::string_view tool,
                            const std::vector<std::string>& sources);

// "SANITIZER memcheck: Invalid … at kernel.cu:12 in twice(float*) by thread (0,0,0) in block …"
std::string cause_of(const SanitizerFinding& finding);

}  // namespace kbench
