// The speed-ups that records hold, and what is to be said of those that they lack.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "measure/statistics.hpp"
#include "schema/trace.hpp"

namespace kbench {

// A time, nanoseconds: with 99 % of starts; in records of earlier versions 95 % of the median of
// one.
Estimate recorded_latency(const Timing& timing);

// Time of the reference / time of the solution, with 99 %. Nothing where it was not measured, or is
// worth nothing. In records that kbench did not write it is their speedup_factor, without an
// interval.
std::optional<Estimate> recorded_speedup(const Evaluation& evaluation);

// Returns the logarithm; an interval that reaches 0 is none.
Estimate log_of(const Estimate& estimate);

// The reference's latency beside this evaluation, nanoseconds; 0 where it was not timed.
double reference_ns(const Evaluation& evaluation);

// Why one that passed has no speed-up; "" where it has one, or none was asked for.
std::string why_no_speedup(const Evaluation& evaluation);

// Why rows that passed have no speed-up; "" where there are none. And what those
// that have one were timed beside.
std::string missing_speedups(std::span<const Trace> traces);
std::string timed_beside(std::span<const Trace> traces);

}  // namespace kbench
