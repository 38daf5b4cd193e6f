#include "base/content_identity.hpp"

#include <fcntl.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/digest.hpp"
#include "base/errno_failure.hpp"
#include "base/file.hpp"
#include "base/shared_memory.hpp"

namespace kbench {

namespace {

// Mapped: LibTorch has hundreds of megabytes.
std::string digest_of(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail_by_errno(path);
  const auto file = SharedMemory::map_read_only(std::move(fd));
  return content_digest({reinterpret_cast<const char*>(file.data()), file.size()});
}

}  // namespace

std::string content_identity(const std::filesystem::path& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const std::string identity = file_identity(path);
  std::string& digest = known[path.string() + " " + identity];
  if (digest.empty()) digest = identity == "absent" ? identity : digest_of(path);
  return digest;
}

}  // namespace kbench
