// Files that a confined process may see at the levels A and B. Everything else is not there (A), or
// cannot be opened (B).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/file.hpp"

namespace kbench {

struct FileView {
  // Files and folders with all below them, to read and run. Paths that do not exist are left out.
  std::vector<std::filesystem::path> readable;
  std::vector<std::filesystem::path> writable;      // folders, with all below them
  std::vector<std::filesystem::path> devices = {};  // files to read, write and control
  // The working directory is a folder in memory of this size at level A, gone with the process; at
  // level B it is the directory itself. 0: it is neither, and writable only where listed above.
  std::uint64_t private_bytes = 0;
  // Target of /proc/self/exe at level A, which has nothing else of /proc; "": not even that.
  std::filesystem::path own_program = {};
};

// Returns the system's folders of shared libraries, and the files by which they are found.
std::vector<std::filesystem::path> system_libraries();
// Returns these, programs and headers: all that a compiler of the system needs.
std::vector<std::filesystem::path> system_programs();
// Returns the files in which the kernel describes the processor.
std::vector<std::filesystem::path> machine_files();

// Landlock: a process opens only files that a set of rules names, whichever user it is.

// The version of the kernel's Landlock, 0 where there is none.
int landlock_version();
// The first version whose rules also keep a process from signalling others (Linux 6.12).
constexpr int landlock_with_signals = 6;

// Makes rules that allow the paths of `files`, and the devices null, zero and urandom. Throws
// std::system_error. `pipes`: named ones may be made in folders to write to.
Fd make_landlock_rules(const FileView& files, bool pipes = false);

// The next two are safe between fork and exec; false leaves errno.
// Adds a folder to write to.
bool allow_folder(int rules, const char* path, bool pipes = false);
// Puts the rules on this thread and all it becomes or starts. Needs PR_SET_NO_NEW_PRIVS.
bool obey(int rules);

}  // namespace kbench
