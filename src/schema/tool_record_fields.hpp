// The tables of fields of SanitizerFinding, ProfileRecord.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/tool_record.hpp"

namespace kbench {

constexpr auto fields(const SanitizerFinding*) {
  return std::tuple{
      Field{"tool", &SanitizerFinding::tool, Need::required, Rule::any,
            "Of compute-sanitizer: \"memcheck\", \"racecheck\", \"initcheck\" or \"synccheck\"."},
      Field{"message", &SanitizerFinding::message, Need::required, Rule::any, "In its own words."},
      Field{"kernel", &SanitizerFinding::kernel, Need::extension, Rule::any,
            "The kernel, or the function that it calls."},
      Field{"place", &SanitizerFinding::place, Need::extension, Rule::any,
            "File and line of the solution's source: \"kernel.cu:12\"."},
      Field{"thread", &SanitizerFinding::thread, Need::extension, Rule::any,
            "The first thread that did it: \"(3,0,0)\"."},
      Field{"block", &SanitizerFinding::block, Need::extension, Rule::any,
            "The block of that thread."},
      Field{"reports", &SanitizerFinding::reports, Need::required, Rule::positive,
            "Reports that say the same, of other threads as well."}};
}

constexpr auto fields(const ProfileRecord*) {
  return std::tuple{Field{"report", &ProfileRecord::report, Need::required, Rule::any,
                          "The file that ncu wrote, below the folder that has traces/."},
                    Field{"set", &ProfileRecord::set, Need::required, Rule::any,
                          "The set of ncu's sections that it has."}};
}

}  // namespace kbench
