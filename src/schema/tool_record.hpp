// What a Trace says of NVIDIA's tools that a solution ran under.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace kbench
