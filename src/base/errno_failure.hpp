// A system call that failed, as an exception.
#pragma once

#include <string>

namespace kbench {

// Throws a std::system_error that says what `errno` means, after `what`: a path, or what was tried.
[[noreturn]] void fail_by_errno(const std::string& what);

}  // namespace kbench
