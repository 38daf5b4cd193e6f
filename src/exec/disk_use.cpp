#include "exec/disk_use.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

namespace kbench {

bool takes_more(const std::filesystem::path& folder, std::uint64_t most) {
  constexpr std::uint64_t least = 4096;
  constexpr std::uint64_t block = 512;  // of st_blocks
  std::uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    struct stat found {};
    if (::lstat(it->path().c_str(), &found) != 0) continue;  // gone meanwhile
    bytes += std::max(least, static_cast<std::uint64_t>(found.st_blocks) * block);
    if (bytes > most) return true;
  }
  return error == std::errc::permission_denied;
}

}  // namespace kbench
