// What a Trace says of the GPU that a solution ran on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

// The GPU that a solution ran on.
struct GpuRecord {
  std::string name;          // as its driver calls it
  std::string architecture;  // "sm_90"
  std::string driver;        // the newest CUDA that the driver knows: "13.5"
  std::int64_t memory_bytes = 0;
  std::optional<std::string> uuid;  // begin of its SHA-256
  FieldSet present{};
};

// What is said beside the events when a GPU is timed.
struct GpuTiming {
  std::optional<double> activity_ns;    // median, by the device's own records: docs/cuda.md
  std::vector<std::int64_t> clock_mhz;  // of the multiprocessors before the samples and after
  std::int64_t max_clock_mhz = 0;
  std::int64_t memory_mhz = 0;
  std::vector<std::int64_t> celsius;   // before and after
  std::vector<std::string> slowed_by;  // at one of the two: "power", "heat"
  FieldSet present{};
};

}  // namespace kbench
