// What a confined process may see of the file system at the levels A and B. Everything else is not
// there (A), or cannot be opened (B).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

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

}  // namespace kbench
