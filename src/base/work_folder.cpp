#include "base/work_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view random_part = "XXXXXX";  // mkdtemp's

[[noreturn]] void fail(const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), path.string());
}

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

WorkFolder::WorkFolder(const fs::path& parent, std::string_view prefix) {
  for (;;) {
    std::string name = parent / std::string(prefix).append(random_part);
    if (::mkdtemp(name.data()) == nullptr) fail(name);
    Fd lock = open_folder(name);
    if (!lock && errno != ENOENT) fail(name);
    // Until it is locked, whoever clears up may take it for abandoned.
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0 || !is_there(lock.get(), name)) continue;
    path_ = name;
    lock_ = std::move(lock);
    return;
  }
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;  // what cannot be removed is nobody's result
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void remove_if_abandoned(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !may_remove(status)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return;
  std::error_code ignored;
  if (is_there(fd.get(), path)) fs::remove_all(path, ignored);
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
