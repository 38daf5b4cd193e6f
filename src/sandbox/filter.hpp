// Filters of system calls (seccomp): what a process may not ask of the kernel, from now on and for
// whatever it becomes.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace kbench {

using SyscallFilter = std::vector<sock_filter>;

// It may start threads, but no processes: fork fails with EAGAIN.
SyscallFilter no_processes();

// For programs that work on files: no look into other processes, no sockets, nothing else that the
// kernel shares between processes, no change of limits, mounts, namespaces, clocks or keys. Whom
// they may signal and which files they may open is not said here. `local_sockets`: but for sockets
// of this machine (AF_UNIX).
SyscallFilter no_intrusion(bool local_sockets = false);

// That, for code that works in one process: no programs, no processes, no signals but to itself, no
// choice of cores, no change of what files are marked with. Files it may open as before. Made in
// the process that it is for: it holds its id.
SyscallFilter only_itself();

// For code that is to compute and nothing else, and has loaded what it needs: no processes, no
// sockets, no file opened for writing, made, renamed or removed, no signal to others, no look into
// them, no change of limits, mounts, clocks or keys. What it asks for fails with EPERM. Descriptors
// that are open already stay usable. Made in the process that it is for: it holds its id.
SyscallFilter only_computing();

// No way back. Safe between fork and exec. False where the kernel has no seccomp.
bool install(const SyscallFilter& filter);

}  // namespace kbench
