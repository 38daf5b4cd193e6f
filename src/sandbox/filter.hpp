// Filters of system calls (seccomp): what a process may not ask of the kernel, from now on and for
// whatever it becomes.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace kbench {

using SyscallFilter = std::vector<sock_filter>;

// It may start threads, but no processes: fork fails with EAGAIN.
SyscallFilter no_processes();

// The next three say what is allowed, call by call (calls.cpp); all else fails with EPERM, or with
// ENOSYS where the call is so new that programs do without it.

// For programs that work on files and start others: compilers and what they start. Which files
// they may open and whom they may signal is not said here. `local_sockets`: they may have sockets
// of this machine (AF_UNIX).
SyscallFilter no_intrusion(bool local_sockets = false);

// For code that works in one process: no programs, no processes, no signals but to itself, no
// choice of cores, no new limits, no sockets, no change of what files are marked with. Files it may
// open as before; `has_devices`: and speak with the devices among them as it likes (ioctl). Made in
// the process that it is for: it holds its id.
SyscallFilter only_itself(bool has_devices = false);

// For code that is to compute and nothing else, and has loaded what it needs: besides, no file is
// opened for writing, made, renamed or removed. Descriptors that are open already stay usable. Made
// in the process that it is for: it holds its id.
SyscallFilter only_computing();

// The calls that held processes may make, by their purpose (calls.cpp). Others are refused.

// It computes: memory, threads, time, its own signals, and descriptors that are open.
std::span<const std::uint32_t> computing_calls();
// It looks at files. Which ones it may open is Landlock's matter.
std::span<const std::uint32_t> looking_calls();
// It makes, moves and removes files, where it may write.
std::span<const std::uint32_t> changing_calls();
// It says who may read a file and when it was written.
std::span<const std::uint32_t> marking_calls();
// It starts programs, waits for them and signals them.
std::span<const std::uint32_t> starting_calls();
// It makes pipes or sockets with names for others to connect to, or connects to theirs. socket(2)
// itself is a case of its own.
std::span<const std::uint32_t> connecting_calls();
// Programs take it for a missing feature of the file system when these are not supported, and for
// a failure when they are not permitted.
std::span<const std::uint32_t> attribute_calls();

// No way back. Safe between fork and exec. False where the kernel has no seccomp.
bool install(const SyscallFilter& filter);

}  // namespace kbench
