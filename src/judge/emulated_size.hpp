// How long the emulation of CUDA would take.
#pragma once

#include "judge/evaluate.hpp"

namespace kbench {

// Seconds of a call of a usual kernel, by what the reference computes and moves.
double emulated_seconds(const Work& work);

// Throws NotEmulated where that is more than the limit: a part of the work would be no verdict.
void check_emulated_size(const PreparedWorkload& workload, const Emulation& emulation);

}  // namespace kbench
