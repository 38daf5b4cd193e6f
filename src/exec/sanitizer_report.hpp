// What a sanitizer printed when it ended a worker: read out of the worker's output, which the
// candidate writes to as well. It can forge a report against itself and hide one: sanitizers find
// mistakes, not malice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct SanitizerReport {
  std::string bug;     // "heap-buffer-overflow", "signed integer overflow: 1 + …"
  std::string access;  // "read of 4 bytes"; "" where it is none
  std::optional<std::uint64_t> address;  // that was accessed
  std::string place;                     // "kernel.cpp:12"; "" where no line is known
  std::string first_lines;
};

// `sources`: names that a place may have. The innermost frame in one of them is the place.
std::optional<SanitizerReport> read_sanitizer_report(std::string_view output,
                                                     const std::vector<std::string>& sources);

}  // namespace kbench
