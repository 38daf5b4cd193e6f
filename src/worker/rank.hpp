// One rank of a sharded call: its seat, and the collectives that its candidate finds by
// KbenchRankOfCall (include/kbench/kbench_rank.h), over the hub of problem/rank_protocol.hpp.
#pragma once

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// Maps the hub of rank_fd where there is one, and closes that. False: it cannot be mapped.
bool take_seat(const Control& control);

// Begins the calls of a command: the first meeting is the first again.
void begin_meetings();

}  // namespace kbench::worker
