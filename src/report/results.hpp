// What the records say of each solution on each workload: the newest of each, as values that
// rankings and gates compare.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/statistics.hpp"
#include "schema/trace.hpp"

namespace kbench {

// A time, as its natural logarithm: of nanoseconds.
struct Estimate {
  double log_ns = 0;
  std::optional<Interval> interval;  // 95 %
};

struct Speed {
  Estimate median;
  Estimate p10;  // without an interval where the samples are too few, or not known
};

// ln(time of `second` / time of `first`): of the 10th percentiles where both have an interval, else
// of the medians.
struct LogRatio {
  double value = 0;
  std::optional<Interval> interval;
};
LogRatio ratio_of(const Speed& first, const Speed& second);

struct Result {
  const Trace* trace = nullptr;
  std::string hardware;
  std::string machine;  // tells it from others of that hardware; "" where it is not known
  bool passed = false;
  std::optional<Speed> speed = {};       // none of what failed, and of what was not timed
  std::optional<LogRatio> speedup = {};  // over the reference, where that was measured

  const std::string& definition() const { return trace->definition; }
  const std::string& workload() const { return trace->workload.uuid; }
  const std::string& solution() const { return *trace->solution; }
};

// Trivial answers that would have passed, too, for which its verdict says nothing: "zeros, or
// mean";
// "" where there are none.
std::string passing_trivially(const Trace& trace);

struct ResultFilter {
  bool plain = false;               // times of plain mode, too: a candidate could have forged them
  std::string rule = {};            // of the verdict; "": any
  std::string hardware = {};        // begin of its name
  std::string since = {};           // begin of a timestamp
  bool by_configuration = false;    // a solution with two configurations is two candidates
  bool non_discriminating = false;  // workloads that cannot tell right from wrong, too
};

// Why records do not count.
struct LeftOut {
  std::size_t plain = 0, rule = 0, hardware = 0, since = 0;
  std::size_t sanitized = 0;               // --sanitize: no times, and another program
  std::size_t older = 0;                   // there is a newer one
  std::size_t edited = 0, not_signed = 0;  // Doubt
  std::size_t non_discriminating = 0;
};

struct Results {
  std::vector<Result> results;
  LeftOut left_out;
};

// Returns the newest of the evaluated traces of each workload, solution and machine (the last of
// those of one time), in the order in which the first of them came; `by_configuration`, of each of
// its configurations too.
std::vector<const Trace*> newest_of_each(std::span<const Trace* const> traces,
                                         bool by_configuration = false);

// What its record says that it was built and called with; nullptr where it has no parameters.
const Configuration* configuration_of(const Trace& trace);

// Collects the results of evaluated traces; a later one of the same workload, solution and machine
// stands for the earlier, as newest_of_each() has it.
Results select_results(std::span<const Trace* const> traces, const ResultFilter& filter);

}  // namespace kbench
