// Google Benchmark as the second engine: it times the candidate where kbench's own loop would, in
// the worker's address space.
#pragma once

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {

// Finds out and keeps what it says of the machine: here, before a candidate is there and while it
// can be read.
void prepare_google_benchmark();

// Runs one benchmark by Control::repetitions; its output, JSON, goes into Control::report. False: a
// call failed, which was the last.
bool run_google_benchmark(Control& control, Candidate& candidate);

}  // namespace kbench::worker
