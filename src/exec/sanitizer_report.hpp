// Report that a sanitizer printed when it ended a worker: read out of the worker's output, which
// the candidate writes to as well. A candidate can forge a report against itself and hide one:
// sanitizers find mistakes, not malice.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct SanitizerReport {
  std::string bug;     // "heap-buffer-overflow", "signed integer overflow: 1 + …"
  std::string access;  // "read of 4 bytes"; "" where it is none
  std::optional<std::uint64_t> address;  // the one accessed
  std::string place;                     // "kernel.cpp:12"; "" where no line is known
  std::string first_lines;
};

// `sources`: names that a place may have. The innermost frame in one of them is the place.
std::optional<SanitizerReport> read_sanitizer_report(std::string_view output,
                                                     const std::vector<std::string>& sources);

// Report that the emulation of CUDA printed when it ended a worker: read out of the worker's
// output, which the candidate writes to as well, as read_sanitizer_report() does.

// The status of a worker that the emulation has ended.
constexpr int emulation_exit_code = 86;

struct EmulationReport {
  std::string kind;  // "OUT_OF_BOUNDS"; "NOT_EMULATED" says nothing about the candidate
  std::string text;  // the rest of the line
};

// Returns the last line that begins with "kbench-emulation: ", but for notes.
std::optional<EmulationReport> read_emulation_report(std::string_view output);

// First note of the emulation, on something that is no fault by itself, to explain what is wrong;
// "" where there is none.
std::string emulation_note(std::string_view output);

// Thrown for a candidate that does what the emulation does not know: it has no verdict.
class NotEmulated : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kbench
