// What a Trace says of NVIDIA's tools that a solution ran under.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "schema/field.hpp"

namespace kbench {

// What a tool of compute-sanitizer found: once, however often it was reported.
struct SanitizerFinding {
  std::string tool;                   // "memcheck"
  std::string message;                // its own words: "Invalid __global__ write of size 4 bytes"
  std::optional<std::string> kernel;  // or the function of it: "twice(float const*, float*)"
  std::optional<std::string> place;   // "kernel.cu:12"
  std::optional<std::string> thread;  // "(3,0,0)"
  std::optional<std::string> block;   // "(0,0,0)"
  std::int64_t reports = 1;           // that say the same, of other threads
  FieldSet present{};
};

// What ncu measured.
struct ProfileRecord {
  std::string report;  // its file, below the folder that has traces/
  std::string set;     // of ncu's sections: "basic"
  FieldSet present{};
};

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
