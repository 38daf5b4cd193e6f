// The operating system's answers: errors as exceptions, environment variables, memory, random
// numbers.
#pragma once

#include <cstdint>
#include <string>

namespace kbench {

// A system call that failed, as an exception.

// Throws a std::system_error that says what `errno` means, after `what`: a path, or what was tried.
[[noreturn]] void fail_by_errno(const std::string& what);

// Returns a variable of the environment; "" where it is not set.
std::string variable(const char* name);

// This machine's memory.

// Bytes that the kernel can still give (MemAvailable); the largest number where it does not say.
std::uint64_t available_memory();

// Bytes that the machine has; the largest number where it does not say.
std::uint64_t total_memory();

// Numbers that nobody can guess.

// Comes from the kernel. Throws std::runtime_error where it has none.
std::uint64_t fresh_secret();

}  // namespace kbench
