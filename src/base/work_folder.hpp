// A folder to work in, gone with its object. Its owner holds a lock on it: what a process that was
// killed leaves can be told from what is in use.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/file.hpp"

namespace kbench {

// TMPDIR, else /tmp. Throws std::runtime_error where there is no such folder.
std::filesystem::path temporary_folder();

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

}  // namespace kbench
