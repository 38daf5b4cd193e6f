// The tables of fields of GpuRecord, GpuTiming.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/gpu_record.hpp"

namespace kbench {

constexpr auto fields(const GpuRecord*) {
  return std::tuple{
      Field{"name", &GpuRecord::name, Need::required, Rule::any, "As its driver calls it."},
      Field{"architecture", &GpuRecord::architecture, Need::required, Rule::any,
            "Its compute capability: \"sm_90\"."},
      Field{"driver", &GpuRecord::driver, Need::required, Rule::any,
            "The newest CUDA that its driver knows."},
      Field{"memory_bytes", &GpuRecord::memory_bytes, Need::required, Rule::non_negative,
            "Of the device."},
      Field{"uuid", &GpuRecord::uuid, Need::extension, Rule::any,
            "Tells it from others of its kind: begin of the SHA-256 of its UUID."}};
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
