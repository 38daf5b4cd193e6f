#include "measure/roofline.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr double output_allowance = 2;
constexpr double needless_allowance = 64;
constexpr double ns_per_second = 1e9;

// Returns the bandwidth of the largest data that were measured and are no larger: rather too high
// than too low.
double bandwidth_of(const Demand& demand, const Peaks& peaks) {
  if (demand.is_cold) return peaks.bandwidth.back().bytes_per_second.of(demand.threads);
  double rate = peaks.bandwidth.front().bytes_per_second.of(demand.threads);
  for (const Bandwidth& measured : peaks.bandwidth)
    if (measured.bytes <= demand.bytes) rate = measured.bytes_per_second.of(demand.threads);
  return rate;
}

struct Arithmetic {
  std::string_view name;
  double rate;  // operations a second
};

Arithmetic arithmetic_of(const Demand& demand, const Peaks& peaks) {
  const double float32 = peaks.float32.of(demand.threads);
  if (demand.bits > 16) return {"float32", float32};
  if (demand.bits > 8) return {"16 bits", float32 * peaks.times_16_bit};
  return {"8 bits", float32 * peaks.times_8_bit};
}

double narrowest_rate(const Demand& demand, const Peaks& peaks) {
  return peaks.float32.of(demand.threads) * std::max({1.0, peaks.times_16_bit, peaks.times_8_bit});
}

}  // namespace

Bound bound_of(const Demand& demand, const Peaks& peaks) {
  const double memory_ns =
      static_cast<double>(demand.bytes) / bandwidth_of(demand, peaks) * ns_per_second;
  const Arithmetic arithmetic = arithmetic_of(demand, peaks);
  const double flops = demand.flops.value_or(0);
  const double arithmetic_ns = flops / arithmetic.rate * ns_per_second;
  const double narrowest_ns = flops / narrowest_rate(demand, peaks) * ns_per_second;
  Bound bound;
  bound.ns = std::max(memory_ns, arithmetic_ns);
  bound.by = memory_ns >= arithmetic_ns ? "memory" : arithmetic.name;
  const double output_ns = memory_ns * static_cast<double>(demand.output_bytes) /
                           static_cast<double>(std::max<std::uint64_t>(demand.bytes, 1));
  bound.least_ns = std::max(output_ns / output_allowance,
                            std::max(memory_ns, narrowest_ns) / needless_allowance);
  return bound;
}

Rate best_of(const Rate& first, const Rate& second) {
  return {std::max(first.one, second.one), std::max(first.all, second.all)};
}

Peaks best_of(Peaks first, const Peaks& second) {
  first.float32 = best_of(first.float32, second.float32);
  for (Bandwidth& measured : first.bandwidth) {
    for (const Bandwidth& again : second.bandwidth)
      if (again.bytes == measured.bytes)
        measured.bytes_per_second = best_of(measured.bytes_per_second, again.bytes_per_second);
  }
  return first;
}

}  // namespace kbench
