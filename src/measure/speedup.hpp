// From what was timed to a ratio that can be believed, or to why there is none. No clock, no
// device.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "measure/statistics.hpp"

namespace kbench {

// Logarithms are of the time of a reference / the time of a solution.
struct SpeedupEvidence {
  double log_ratio = 0;
  std::optional<Interval> log_interval;  // that holds it with 99 %; none where too few are known
  std::size_t pairs = 0;
  std::optional<double> others_running;  // tasks beside the two that wanted a core, on average
  int threads = 1;                       // of the one that has more
  int cores = 1;                         // that both may use
  bool is_alone = true;                  // no other kbench was timing
  double disturbed = 0;                  // share of the pairs in which somebody else had a core
};

struct Speedup {
  double ratio = 0;
  Interval interval;
};

// "", or why no ratio can be told from that: too few turns, an interval wider than a quarter of the
// ratio to either side, more that wants a core than there are, somebody else who had part of the
// core most of the time, another kbench.
std::string why_no_ratio(const SpeedupEvidence& evidence);

Speedup speedup_of(const SpeedupEvidence& evidence);  // where there is no reason against it

}  // namespace kbench
