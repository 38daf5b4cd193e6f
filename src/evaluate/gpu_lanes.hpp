// Several GPUs at once: each takes the next pair that is to be judged, with processor cores of its
// own.
#pragma once

#include <atomic>
#include <vector>

#include "evaluate/pair_judge.hpp"
#include "exec/gpus.hpp"

namespace kbench {

// How many GPUs there are cores for: one for the judge, one for the worker.
std::size_t most_lanes();

// Returns when all were judged, `stop` is set, or no GPU answers any more.
void judge_on_gpus(const std::vector<Pair>& pairs, const std::vector<GpuLock>& gpus,
                   PairJudge& judge, const std::atomic<bool>& stop);

}  // namespace kbench
