#include "base/temporary_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/errno_failure.hpp"

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
  fd_ = Fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd_ || ::flock(fd_.get(), how) != 0) fail_by_errno(name);
}

TemporaryFile::TemporaryFile(const fs::path& folder) {
  const FolderLock lock(folder, LOCK_SH);
  std::string name = folder / std::string(temporary_prefix).append("XXXXXX");
  fd_ = Fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd_) fail_by_errno(name);
  path_ = name;
  ::flock(fd_.get(), LOCK_EX);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void TemporaryFile::append(std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd_.get(), data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_by_errno(path_);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
}

void TemporaryFile::keep_as(const fs::path& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) fail_by_errno(name);
  path_.clear();
}

void TemporaryFile::keep_for_good(const fs::path& name) {
  const fs::path folder = name.parent_path();
  const Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) fail_by_errno(folder);
  ::fchmod(fd_.get(), status.st_mode & 0666U);
  sync(fd_.get(), path_);
  keep_as(name);
  sync(opened.get(), folder);
}

}  // namespace kbench
