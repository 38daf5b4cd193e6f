// Peaks that this machine reaches, for measure/roofline: measured once and kept.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "measure/roofline.hpp"

namespace kbench {

struct MeasuredPeaks {
  Peaks peaks;
  int cores = 1;     // cores that `all` means
  std::string when;  // local time, ISO 8601
};

// Sizes from 16 KiB, which every first cache holds, to four times the last cache, in powers of two.
std::vector<std::uint64_t> peak_sizes();

// Takes some seconds of all cores. `progress` is told of its steps, from 1, as they begin.
using PeakProgress = std::function<void(std::size_t step, std::size_t steps)>;
Peaks measure_peaks(const std::vector<std::uint64_t>& sizes, int cores,
                    const PeakProgress& progress = {});

// Peaks kept for this machine and this number of cores; nothing where they were not measured.
std::optional<MeasuredPeaks> find_peaks(const Cache& cache, int cores);
void keep_peaks(Cache& cache, const MeasuredPeaks& measured);

// Text in which they are kept: JSON, rates in operations and bytes a second. The second gives
// nothing for any other text.
std::string write_peaks(const MeasuredPeaks& measured);
std::optional<MeasuredPeaks> read_peaks(const std::string& text);

}  // namespace kbench
