#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "exec/waiting.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t block = 512;  // unit of st_blocks

constexpr int deepest = 64;  // nested folders: beyond, a look takes long, and paths have no end

// Sum of the bytes below a folder; nothing where the judge cannot look at something, or folders
// nest deeper than that: any size may be below.
class Look {
 public:
  explicit Look(std::uint64_t most) : most_(most) {}

  std::optional<std::uint64_t> bytes_below(const fs::path& folder) {
    return add(folder, 0) ? std::optional(bytes_) : std::nullopt;
  }

 private:
  static constexpr std::uint64_t least = 4096;

  // An entry that is gone meanwhile takes nothing; any other error hides what there is.
  static bool is_gone(const std::error_code& error) {
    return !error || error == std::errc::no_such_file_or_directory;
  }

  bool add(const fs::path& folder, int depth) {
    if (depth > deepest) return false;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      struct stat found {};
      if (::lstat(it->path().c_str(), &found) != 0) {
        if (errno != ENOENT) return false;
        continue;
      }
      bytes_ += std::max(least, static_cast<std::uint64_t>(found.st_blocks) * block);
      if (bytes_ > most_) return true;
      if (S_ISDIR(found.st_mode) && !add(it->path(), depth + 1)) return false;
    }
    return is_gone(error);
  }

  std::uint64_t most_;
  std::uint64_t bytes_ = 0;
};

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

// Reads lines as "7f00-7f10 rw-s 00000000 fe:00 1234 /folder/file (deleted)": a mapped page may be
// of a file of any size.
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
    files.try_emplace(inode, largest_file);  // an open one's size is known
  }
}

// A thread of the process that has its memory still: the first may have ended before the others.
// All share one table of open files (sandbox/filter.cpp).
fs::path living_thread(pid_t process) {
  std::error_code error;
  const fs::path threads = fmt::format("/proc/{}/task", process);
  for (fs::directory_iterator it(threads, error), end; !error && it != end; it.increment(error)) {
    std::ifstream maps(it->path() / "maps");
    if (maps.peek() != std::ifstream::traits_type::eof()) return it->path();
  }
  return threads / std::to_string(process);
}

std::uint64_t bytes_without_a_name(const fs::path& folder, pid_t process,
                                   std::uint64_t largest_file) {
  const fs::path thread = living_thread(process);
  const Removed removed(folder);
  BytesOfFiles files;
  add_open(thread / "fd", removed, files);
  add_mapped(thread / "maps", removed, largest_file, files);
  std::uint64_t bytes = 0;
  for (const auto& [file, size] : files) bytes += size;
  return bytes;
}

}  // namespace

bool takes_more(const fs::path& folder, pid_t process, std::uint64_t largest_file,
                std::uint64_t most) {
  const auto bytes = Look(most).bytes_below(folder);
  return !bytes || *bytes + bytes_without_a_name(folder, process, largest_file) > most;
}

}  // namespace kbench
