// What a measured time is beside what this machine could do at best.
#pragma once

#include "judge/prepare.hpp"
#include "measure/machine/peaks.hpp"
#include "schema/details.hpp"

namespace kbench {

// What a call of a solution asks of the machine, that is allowed `threads` threads.
Demand demand_of(const PreparedWorkload& workload, int threads, bool is_cold);

// Where the time is below Roofline::least_ns, the machine is measured once more before that is
// said: others may have slowed it when it was measured.
Roofline roofline_of(const PreparedWorkload& workload, const MeasuredPeaks& measured,
                     const Timing& timing);

}  // namespace kbench
