// Files that appear whole or not at all: written beside their place, then given its name.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/file.hpp"

namespace kbench {

// How the names of such files begin, in folders where they can be told from others.
constexpr std::string_view temporary_prefix = "tmp.";
// The lock file in each such folder: see FolderLock.
constexpr std::string_view folder_lock_name = "lock";

// Shared: nobody takes a temporary file that is made just now for one that was left. Exclusive:
// nobody else begins temporary files or looks over the folder. `how`: flock's LOCK_SH or LOCK_EX.
// Throws std::system_error.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, int how);

 private:
  Fd fd_;
};

// A file that nobody sees under its name before it is kept; removed unless it is. Whoever makes it
// holds its lock: base/work_folder.hpp tells from that what processes that were killed have left.
// All throw std::system_error.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& folder);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }
  void append(std::string_view data);
  void keep_as(const std::filesystem::path& name);
  // Keeps the file as keep_as() does, and once it returns no loss of power takes the file back.
  // Whoever may read the folder may read the file.
  void keep_for_good(const std::filesystem::path& name);

 private:
  std::filesystem::path path_;
  Fd fd_;
};

}  // namespace kbench
