// What forks do that may only make async-signal-safe calls.
#pragma once

#include <string_view>

namespace kbench {

// Writes the text to a file that is there, with one call; false leaves errno.
bool write_text(const char* path, std::string_view text);

// Returns when the process has ended that `pidfd` stands for. From then on the caller is in a group
// of its own, ignores SIGINT and SIGTERM, and has no other descriptor open.
void outlive(int pidfd);

}  // namespace kbench
