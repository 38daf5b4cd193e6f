// What makes a fork a process that kbench does not trust, before it runs a program or goes on.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "sandbox/filter.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// Made before the fork: afterwards nothing may be allocated.
struct Confinement {
  pid_t parent = 0;       // ends with it
  std::vector<int> fds;   // become descriptors 3, 4, … in this order; all others are closed
  int output = -1;        // becomes stdout and stderr; -1: /dev/null
  std::string directory;  // "" for the current one
  ProcessLimits limits;
  SyscallFilter filter;
};

Confinement confinement_of(const ProcessPlan& plan, pid_t parent);

// In the fork: a process group of its own, no signal handlers of the parent's, the descriptors,
// the limits, the filter. Async-signal-safe. False when the directory cannot be entered (errno).
bool enter(Confinement& confinement);

}  // namespace kbench
