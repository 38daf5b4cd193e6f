#include "build/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/digest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// With lengths, so that no two lists give the same text.
void add(std::string& text, std::string_view part) {
  text += fmt::format("{}:{};", part.size(), part);
}

std::string identity(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "absent";
  return fmt::format("{} {} {}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

// Nobody builds there while the lock is held.
void remove_left_folders(const fs::path& entry) {
  if (fs::exists(entry)) return;
  std::vector<fs::path> left;
  for (const auto& other : fs::directory_iterator(entry.parent_path())) {
    const bool is_ours = other.path().stem() == entry.filename();
    if (is_ours && other.path().extension() != ".lock") left.push_back(other.path());
  }
  std::error_code ignored;
  for (const fs::path& folder : left) fs::remove_all(folder, ignored);
}

}  // namespace

std::string build_key(const Solution& solution, const Toolchain& toolchain,
                      const std::vector<std::string>& command) {
  std::string text;
  add(text, "kbench build 1");
  for (const std::string& argument : command) add(text, argument);
  add(text, identity(toolchain.compiler));
  for (const fs::path& folder : toolchain.include_dirs) {
    add(text, identity(folder / "kbench_ffi.h"));
    add(text, identity(folder / "tvm" / "ffi" / "c_api.h"));
  }
  for (const SourceFile& source : solution.sources) {
    add(text, source.path);
    add(text, source.content);
  }
  return sha256_hex(text);
}

void write_sources(const Solution& solution, const fs::path& folder) {
  for (const SourceFile& source : solution.sources)
    write_file(folder / source.path, source.content);
}

fs::path cache_entry(const fs::path& cache, const std::string& key) {
  return cache / "build" / key.substr(0, 32);
}

BuildLock::BuildLock(const fs::path& entry) {
  fs::create_directories(entry.parent_path());
  const std::string name = entry.string() + ".lock";
  fd_ = Fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd_ || ::flock(fd_.get(), LOCK_EX) != 0)
    throw std::system_error(errno, std::generic_category(), name);
  remove_left_folders(entry);
}

BuildFolder::BuildFolder(const fs::path& entry) {
  std::string name = entry.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void BuildFolder::keep_as(const fs::path& entry) const {
  std::error_code ignored;
  fs::remove_all(entry, ignored);  // an entry without its library, left by a crash
  fs::rename(path_, entry);
}

}  // namespace kbench
