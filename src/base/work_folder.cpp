#include "base/work_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/confined.hpp"
#include "base/errno_failure.hpp"
#include "base/remove_tree.hpp"
#include "base/variable.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view random_part = "XXXXXX";  // mkdtemp's

Fd open_folder(const fs::path& path) {
  return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Root gives folders to the user as whom it runs what it does not trust, and may be killed before
// it takes them back.
bool may_remove(const struct stat& status) {
  return ::geteuid() == 0 || status.st_uid == ::geteuid();
}

// Whether the open file is still the one of that name.
bool is_there(int fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (!error) return folder;
  throw std::runtime_error("TMPDIR is \"" + variable("TMPDIR") +
                           "\", which is no folder that can be used: " + error.message());
}

WorkFolder::WorkFolder(const fs::path& parent, std::string_view prefix) {
  check_confined(parent);
  for (;;) {
    std::string name = parent / std::string(prefix).append(random_part);
    if (::mkdtemp(name.data()) == nullptr) fail_by_errno(name);
    Fd lock = open_folder(name);
    if (!lock && errno != ENOENT) fail_by_errno(name);
    // Until it is locked, whoever clears up may take it for abandoned.
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0 || !is_there(lock.get(), name)) continue;
    path_ = name;
    lock_ = std::move(lock);
    return;
  }
}

WorkFolder::~WorkFolder() {
  if (path_.empty()) return;
  if (const std::error_code error = remove_tree(path_))
    std::fprintf(stderr, "warning: cannot remove %s: %s\n", path_.c_str(), error.message().c_str());
}

void remove_if_abandoned(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !may_remove(status)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (is_there(fd.get(), path)) remove_tree(path);  // else the next one who looks does it
}

void remove_abandoned(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + random_part.size())
      found.push_back(it->path());
  }
  for (const fs::path& path : found) remove_if_abandoned(path);
}

}  // namespace kbench
