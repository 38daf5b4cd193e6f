// Report of Google Benchmark in a worker: JSON that the candidate beside it may have written
// instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/epochs.hpp"
#include "schema/containers.hpp"

namespace kbench {

struct GoogleReport {
  std::vector<double> samples_ns;  // a call's real time in each repetition
  std::int64_t calls = 1;          // calls of a repetition
  RawJson json;                    // all of it
};

// Nothing where it is not what was asked for: a context and `repetitions` runs of one benchmark
// with their aggregates, in nanoseconds, and no key, word or kind of value that Google Benchmark
// does not write there. A candidate's own words have no place in it.
std::optional<GoogleReport> read_google_report(const std::string& text, std::uint32_t repetitions);

}  // namespace kbench
