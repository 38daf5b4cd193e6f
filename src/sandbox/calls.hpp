// The system calls that held processes may make, by what they are for. A call that stands nowhere
// here is refused.
#pragma once

#include <cstdint>
#include <span>

namespace kbench {

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

}  // namespace kbench
