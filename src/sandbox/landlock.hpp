// Landlock: from now on a process opens only what a set of rules names, whoever it runs as.
#pragma once

#include "base/file.hpp"
#include "sandbox/file_view.hpp"

namespace kbench {

// The version of the kernel's Landlock, 0 where there is none.
int landlock_version();
// The first whose rules also keep a process from signalling others (Linux 6.12).
constexpr int landlock_with_signals = 6;

// Rules that allow what `files` lists, and the devices null, zero and urandom. Throws
// std::system_error. `pipes`: named ones may be made in folders to write to.
Fd make_landlock_rules(const FileView& files, bool pipes = false);

// The next two are safe between fork and exec; false leaves errno.
// Adds a folder to write to.
bool allow_folder(int rules, const char* path, bool pipes = false);
// Holds for this thread and all it becomes or starts. Needs PR_SET_NO_NEW_PRIVS.
bool obey(int rules);

}  // namespace kbench
