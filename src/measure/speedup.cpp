#include "measure/speedup.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kbench {
namespace {

constexpr double widest = 0.25;  // half of the interval, of the ratio
// What a neighbour on the core's second hardware thread slows the two down by is not alike.
constexpr double most_disturbed = 0.5;

double half_width(const Interval& log_interval) {
  return std::expm1((log_interval.high - log_interval.low) / 2);
}

}  // namespace

std::string why_no_ratio(const SpeedupEvidence& evidence) {
  if (!evidence.is_alone) return "another kbench was timing on this machine";
  const double wanted = evidence.others_running.value_or(0) + evidence.threads;
  // A moment's look counts whole tasks, and the kernel has short ones of its own.
  if (evidence.others_running && wanted > evidence.cores + 0.5)
    return fmt::format("load {:.1f} on {} core{}", wanted, evidence.cores,
                       evidence.cores == 1 ? "" : "s");
  if (evidence.disturbed > most_disturbed)
    return fmt::format("another program had part of the core in {:.0f} % of the turns",
                       100 * evidence.disturbed);
  if (!evidence.log_interval)
    return fmt::format("{} turn{} {} too few", evidence.pairs, evidence.pairs == 1 ? "" : "s",
                       evidence.pairs == 1 ? "is" : "are");
  const double half = half_width(*evidence.log_interval);
  if (half > widest) return fmt::format("±{:.0f} % is too wide", 100 * half);
  return "";
}

Speedup speedup_of(const SpeedupEvidence& evidence) {
  return {std::exp(evidence.log_ratio),
          {std::exp(evidence.log_interval->low), std::exp(evidence.log_interval->high)}};
}

}  // namespace kbench
