// A folder to work in, gone with its object. Its owner holds a lock on it, by which the leavings of
// a killed process can be told from folders in use.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.hpp"

namespace kbench {

// TMPDIR, else /tmp. Throws std::runtime_error where there is no such folder.
std::filesystem::path temporary_folder();

// Tells whether the open file is still the one of that name.
bool is_open(const Fd& fd, const std::filesystem::path& path);

class WorkFolder {
 public:
  // A fresh, empty one, `parent`/`prefix`XXXXXX. Throws std::system_error.
  WorkFolder(const std::filesystem::path& parent, std::string_view prefix);
  ~WorkFolder();
  WorkFolder(WorkFolder&&) = default;
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Fd lock_;
};

// Removes `path` (a work folder, or a file that is locked in the same way) unless somebody holds
// its lock or it is another user's. Root removes those of all users.
void remove_if_abandoned(const std::filesystem::path& path);

// The work folders of `parent` with this prefix that nobody holds any more, of this user.
void remove_abandoned(const std::filesystem::path& parent, std::string_view prefix);

// Files that appear whole or not at all: written beside their place, then given its name.

// Prefix of the names of such files, in folders where they can be told from others.
constexpr std::string_view temporary_prefix = "tmp.";
// The lock file in each such folder: see FolderLock.
constexpr std::string_view folder_lock_name = "lock";

// Lock of such a folder. Shared: nobody takes a temporary file made just now for one that was left.
// Exclusive: nobody else begins temporary files or looks over the folder. `how`: flock's LOCK_SH or
// LOCK_EX. Throws std::system_error.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, int how);

 private:
  Fd fd_;
};

// A file that nobody sees under its name before it is kept; removed unless it is. Whoever makes it
// holds its lock, which tells it from what killed processes have left. All functions throw
// std::system_error.
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

// Removes what others have left, whatever they have done to it.

// Removes `path` and all below it, folders too that their owner has closed (mode 0300), however
// deep they nest; no link is followed. Nobody may change it meanwhile. The error: why some is left.
std::error_code remove_tree(const std::filesystem::path& path);

}  // namespace kbench
