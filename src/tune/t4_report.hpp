// A tuning of kbench's as T4 results.
#pragma once

#include <vector>

#include "tune/t4.hpp"
#include "tune/tuner.hpp"

namespace kbench {

// In the order in which the configurations were tried. The time is the median: of the contest, else
// of the race's samples. What answered right and was never timed, as when a tuning was stopped, is
// left out: T4 has no word for it.
std::vector<T4Result> t4_results_of(const TuneReport& report);

}  // namespace kbench
