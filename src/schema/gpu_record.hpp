// What a Trace says of the GPU that a solution ran on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

// The GPU that a solution ran on.
struct GpuRecord {
  std::string name;          // as its driver calls it
  std::string architecture;  // "sm_90"
  std::string driver;        // the newest CUDA that the driver knows: "13.5"
  std::int64_t memory_bytes = 0;
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

constexpr auto fields(const GpuRecord*) {
  return std::tuple{
      Field{"name", &GpuRecord::name, Need::required, Rule::any, "As its driver calls it."},
      Field{"architecture", &GpuRecord::architecture, Need::required, Rule::any,
            "Its compute capability: \"sm_90\"."},
      Field{"driver", &GpuRecord::driver, Need::required, Rule::any,
            "The newest CUDA that its driver knows."},
      Field{"memory_bytes", &GpuRecord::memory_bytes, Need::required, Rule::non_negative,
            "Of the device."}};
}

constexpr auto fields(const GpuTiming*) {
  return std::tuple{
      Field{"activity_ns", &GpuTiming::activity_ns, Need::extension, Rule::any,
            "Median of single calls by CUPTI's records, nanoseconds: from the begin of the first "
            "kernel to the end of the last; absent where there is no CUPTI."},
      Field{"clock_mhz", &GpuTiming::clock_mhz, Need::required, Rule::any,
            "Of the multiprocessors, before the samples and after; empty where NVML does not say."},
      Field{"max_clock_mhz", &GpuTiming::max_clock_mhz, Need::required, Rule::non_negative,
            "That they can have."},
      Field{"memory_mhz", &GpuTiming::memory_mhz, Need::required, Rule::non_negative,
            "Of the memory."},
      Field{"celsius", &GpuTiming::celsius, Need::required, Rule::any,
            "Of the chip, before the samples and after."},
      Field{"slowed_by", &GpuTiming::slowed_by, Need::required, Rule::any,
            "What held the clocks back, before the samples or after: \"power\", \"heat\"."}};
}

}  // namespace kbench
