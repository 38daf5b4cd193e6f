#include "base/temporary_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/confined.hpp"
#include "base/errno_failure.hpp"
#include "base/secret.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Not every file system can: what cannot be synced is kept nevertheless.
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
