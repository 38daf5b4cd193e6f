// What a confined process may see of the file system at the levels A and B. Everything else is not
// there (A), or cannot be opened (B).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/file.hpp"

namespace kbench {

struct FileView {
  // Files and folders with all below them, to read and run. What does not exist is left out.
  std::vector<std::filesystem::path> readable;
  std::vector<std::filesystem::path> writable;      // folders, with all below them
  std::vector<std::filesystem::path> devices = {};  // to read, write and control
  // The working directory is a folder in memory of this size at level A, gone with the process; at
  // level B it is the directory itself. 0: it is neither, and writable only where listed above.
  std::uint64_t private_bytes = 0;
  // Where /proc/self/exe leads at level A, which has nothing else of /proc; "" for not even that.
  std::filesystem::path own_program = {};
};

// Where the system keeps its shared libraries, and what finds them.
std::vector<std::filesystem::path> system_libraries();
// Returns these, programs and headers: what a compiler of the system needs.
std::vector<std::filesystem::path> system_programs();
// Where the kernel says what processor this is.
std::vector<std::filesystem::path> machine_files();

// Landlock: from now on a process opens only what a set of rules names, whoever it runs as.

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
