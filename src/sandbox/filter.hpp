// Filters of system calls (seccomp): calls that a process may not make, from now on and in whatever
// program it becomes.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace kbench {

using SyscallFilter = std::vector<sock_filter>;

// Allows threads, but no processes: fork fails with EAGAIN.
SyscallFilter no_processes();

// The next three list allowed calls (calls.cpp); all others fail with EPERM, or with ENOSYS where
// the call is so new that programs do without it.

// Filter of programs that work on files and start others: compilers and their tools. It does not
// say which files they may open and whom they may signal. `local_sockets`: they may have sockets of
// this machine (AF_UNIX).
SyscallFilter no_intrusion(bool local_sockets = false);

// Filter of code that works in one process: no programs, no processes, no signals but to itself, no
// choice of cores, no new limits, no sockets, no change of files' attributes. The process may open
// files as before; `has_devices`: and use any ioctl on the devices among them. The filter is made
// in the process that it is for: it holds its id.
SyscallFilter only_itself(bool has_devices = false);

// Filter of code that is to compute and nothing else, and has loaded all that it needs: besides, no
// file is opened for writing, made, renamed or removed. Descriptors that are open already stay
// usable. The filter is made in the process that it is for: it holds its id.
SyscallFilter only_computing();

// The calls that held processes may make, by their purpose (calls.cpp). Others are refused.

// Calls that compute: memory, threads, time, its own signals, and descriptors that are open.
std::span<const std::uint32_t> computing_calls();
// Calls that look at files. Landlock decides which ones may be opened.
std::span<const std::uint32_t> looking_calls();
// Calls that make, move and remove files, where the process may write.
std::span<const std::uint32_t> changing_calls();
// Calls that say who may read a file and when it was written.
std::span<const std::uint32_t> marking_calls();
// Calls that start programs, wait for them and signal them.
std::span<const std::uint32_t> starting_calls();
// Calls that make sockets for others to connect to, or connect to theirs; socket(2) stands apart.
std::span<const std::uint32_t> connecting_calls();
// Extended attributes: programs take it for a missing feature of the file system when these are not
// supported, and for a failure when they are not permitted.
std::span<const std::uint32_t> attribute_calls();

// Installs the filter for good. Safe between fork and exec. False where the kernel has no seccomp.
bool install(const SyscallFilter& filter);

}  // namespace kbench
