// The threads of another process.
#pragma once

#include <sys/types.h>

namespace kbench {

// Whether a thread other than the first one runs or wants to. False where nobody can tell.
bool has_running_thread(pid_t process);

}  // namespace kbench
