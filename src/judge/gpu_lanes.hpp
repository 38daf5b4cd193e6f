// Several GPUs at once, each with processor cores of its own. A pair is always the same one's: what
// was measured on one is not to be put beside what was on another.
#pragma once

#include <atomic>
#include <vector>

#include "exec/gpus.hpp"
#include "judge/pair_judge.hpp"

namespace kbench {

// How many GPUs there are cores for: one for the judge, one for the worker.
std::size_t most_lanes();

// Returns when all were judged, or `stop` is set.
void judge_on_gpus(const std::vector<Pair>& pairs, const std::vector<GpuLock>& gpus,
                   PairJudge& judge, const std::atomic<bool>& stop);

}  // namespace kbench
