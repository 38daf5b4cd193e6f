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
#include <vector>

#include "base/confined.hpp"
#include "base/system.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

std::vector<fs::path> opened_entries(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  std::vector<fs::path> out;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored))
    out.push_back(it->path());
  return out;
}

// Folders that lie in folders are moved up first: however deep they nest, no path is longer and no
// more files are open than for one.
class Remover {
 public:
  explicit Remover(const fs::path& top) : top_(top) {}

  std::error_code run() {
    std::vector<fs::path> folders;
    empty(top_, folders);
    while (!folders.empty() && !error_) {
      const fs::path folder = folders.back();
      folders.pop_back();
      empty(folder, folders);
      remove(folder);
    }
    remove(top_);
    return error_;
  }

 private:
  // Removes what is in `folder` but for its own folders, which become `folders`, in the top one.
  void empty(const fs::path& folder, std::vector<fs::path>& folders) {
    for (const fs::path& entry : opened_entries(folder)) {
      if (is_folder(entry))
        folders.push_back(folder == top_ ? entry : moved_up(entry));
      else
        remove(entry);
    }
  }

  fs::path moved_up(const fs::path& folder) {
    fs::path to;
    do {
      to = top_ / ("moved" + std::to_string(count_++));
    } while (fs::exists(fs::symlink_status(to)));
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
    fs::rename(folder, to, error);
    note(error);
    return error ? folder : to;
  }

  void remove(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    note(error);
  }

  void note(const std::error_code& error) {
    if (error && !error_) error_ = error;
  }

  fs::path top_;
  std::size_t count_ = 0;
  std::error_code error_;
};

}  // namespace

std::error_code remove_tree(const fs::path& path) {
  if (is_folder(path)) return Remover(path).run();
  std::error_code error;
  fs::remove(path, error);
  return error;
}

namespace {

constexpr std::string_view random_part = "XXXXXX";  // mkdtemp's

Fd open_folder(const fs::path& path) {
  return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Root gives folders to the user as whom it runs what it does not trust, and may be killed before
// it takes them back.
bool may_remove(const struct stat& status) {
  return ::geteuid() == 0 || status.st_uid == ::geteuid();
}

}  // namespace

bool is_open(const Fd& fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

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
    // A process that clears up may take it for abandoned until it is locked.
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0 || !is_open(lock, name)) continue;
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
  if (is_open(fd, path)) remove_tree(path);  // the next one who looks does it if not
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

namespace {

// Some file systems cannot: a file that cannot be synced is kept nevertheless.
void sync(int fd, const fs::path& path) {
  if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS) fail_by_errno(path);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, int how) {
  const fs::path name = folder / folder_lock_name;
  fd_ = open_confined(name, O_RDWR | O_CREAT);
  if (::flock(fd_.get(), how) != 0) fail_by_errno(name);
}

TemporaryFile::TemporaryFile(const fs::path& folder) {
  const FolderLock lock(folder, LOCK_SH);
  path_ = folder / std::string(temporary_prefix).append(std::to_string(fresh_secret()));
  fd_ = open_confined(path_, O_RDWR | O_CREAT | O_EXCL, 0600);
  ::flock(fd_.get(), LOCK_EX);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void TemporaryFile::append(std::string_view data) { write_all(fd_, data, path_); }

void TemporaryFile::keep_as(const fs::path& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) fail_by_errno(name);
  path_.clear();
}

void TemporaryFile::keep_for_good(const fs::path& name) {
  const fs::path folder = name.parent_path();
  const Fd opened = open_confined(folder, O_RDONLY | O_DIRECTORY);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) fail_by_errno(folder);
  ::fchmod(fd_.get(), status.st_mode & 0666U);
  sync(fd_.get(), path_);
  keep_as(name);
  sync(opened.get(), folder);
}

}  // namespace kbench
