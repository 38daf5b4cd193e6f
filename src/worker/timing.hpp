// The loop that takes the samples of plain mode, in the candidate's own address space.
#pragma once

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {

// One call, counted as it begins: so the judge sees that there is progress, and which call hangs.
bool call_once(Control& control, Candidate& candidate);

}  // namespace kbench::worker
