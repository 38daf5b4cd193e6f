#include "judge/roofline.hpp"

#include <algorithm>

#include "problem/problem.hpp"

namespace kbench {
namespace {

// Returns the bits of the narrowest number among the inputs that a kernel may calculate with, as a
// solution may use the units for it. Indices and masks do not count.
int narrowest_bits(const Problem& problem) {
  int bits = 32;
  for (const InputPlan& input : problem.inputs) {
    const DTypeInfo& dtype = info(input.tensor.dtype);
    const bool is_calculated = dtype.kind == DTypeKind::floating || dtype.dtype == DType::int8;
    if (is_calculated && !input.tensor.is_scalar) bits = std::min(bits, dtype.bits);
  }
  return bits;
}

// The size that the bound was read at, and those below, by which one that disturbed is recognised.
std::vector<std::uint64_t> sizes_up_to(const Demand& demand, const Peaks& peaks) {
  std::vector<std::uint64_t> sizes;
  for (const Bandwidth& bandwidth : peaks.bandwidth)
    if (demand.is_cold || sizes.empty() || bandwidth.bytes <= demand.bytes)
      sizes.push_back(bandwidth.bytes);
  return sizes;
}

}  // namespace

Demand demand_of(const PreparedWorkload& workload, int threads, bool is_cold) {
  const Work& work = workload.work;
  Demand demand;
  demand.bytes = static_cast<std::uint64_t>(work.bytes_touched.value_or(work.bytes));
  demand.output_bytes = output_bytes(workload.problem);
  demand.flops = work.flops;
  demand.bits = narrowest_bits(workload.problem);
  demand.threads = threads;
  demand.is_cold = is_cold;
  return demand;
}

Roofline roofline_of(const PreparedWorkload& workload, const MeasuredPeaks& measured,
                     const Timing& timing) {
  const Demand demand =
      demand_of(workload, static_cast<int>(timing.threads.value_or(1)), timing.cache == "cold");
  Bound bound = bound_of(demand, measured.peaks);
  if (timing.p10_ns < bound.least_ns) {
    const Peaks again = measure_peaks(sizes_up_to(demand, measured.peaks), measured.cores);
    bound = bound_of(demand, best_of(measured.peaks, again));
  }
  Roofline record;
  record.bound_ns = bound.ns;
  record.bound_by = bound.by;
  // Without a count nobody knows what a call must read.
  record.least_ns = workload.work.bytes_touched ? bound.least_ns : 0;
  return record;
}

}  // namespace kbench
