#include "exec/disk_use.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t block = 512;  // unit of st_blocks

// Nothing where there is a folder that the judge may not read.
std::optional<std::uint64_t> bytes_below(const fs::path& folder, std::uint64_t most) {
  constexpr std::uint64_t least = 4096;
  std::uint64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end && bytes <= most; it.increment(error)) {
    struct stat found {};
    if (::lstat(it->path().c_str(), &found) != 0) continue;  // gone meanwhile
    bytes += std::max(least, static_cast<std::uint64_t>(found.st_blocks) * block);
  }
  if (error == std::errc::permission_denied) return std::nullopt;
  return bytes;
}

// Files that were removed and are still open or mapped, as the kernel names them.
class Removed {
 public:
  explicit Removed(const fs::path& folder) : begin_(fs::weakly_canonical(folder).string() + "/") {}
  bool is_one(std::string_view name) const {
    return name.starts_with(begin_) && name.ends_with(" (deleted)");
  }

 private:
  std::string begin_;
};

using BytesOfFiles = std::map<ino_t, std::uint64_t>;

void add_open(const fs::path& descriptors, const Removed& removed, BytesOfFiles& files) {
  std::error_code error;
  for (fs::directory_iterator it(descriptors, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    struct stat found {};
    if (!removed.is_one(fs::read_symlink(it->path(), gone).string())) continue;
    if (::stat(it->path().c_str(), &found) == 0)
      files[found.st_ino] = static_cast<std::uint64_t>(found.st_blocks) * block;
  }
}

// "7f00-7f10 rw-s 00000000 fe:00 1234     /folder/file (deleted)": a page may be mapped of a file
// that is as large as may be.
void add_mapped(const fs::path& maps, const Removed& removed, std::uint64_t largest_file,
                BytesOfFiles& files) {
  std::ifstream in(maps);
  for (std::string line; std::getline(in, line);) {
    const auto name = line.find('/');
    if (name == line.npos || !removed.is_one(std::string_view(line).substr(name))) continue;
    std::istringstream words(line);
    std::string range, rights, offset, device;
    ino_t inode = 0;
    words >> range >> rights >> offset >> device >> inode;
    files.try_emplace(inode, largest_file);  // else it is open, too, and its size is known
  }
}

std::uint64_t bytes_without_a_name(const fs::path& folder, pid_t process,
                                   std::uint64_t largest_file) {
  const fs::path about = fmt::format("/proc/{}", process);
  const Removed removed(folder);
  BytesOfFiles files;
  add_open(about / "fd", removed, files);
  add_mapped(about / "maps", removed, largest_file, files);
  std::uint64_t bytes = 0;
  for (const auto& [file, size] : files) bytes += size;
  return bytes;
}

}  // namespace

bool takes_more(const fs::path& folder, pid_t process, std::uint64_t largest_file,
                std::uint64_t most) {
  const auto bytes = bytes_below(folder, most);
  return !bytes || *bytes + bytes_without_a_name(folder, process, largest_file) > most;
}

}  // namespace kbench
