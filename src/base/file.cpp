#include "base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/confined.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

constexpr off_t largest_file = off_t{4} << 30;                // reach of a record's offsets
constexpr std::size_t largest_stream = std::size_t{1} << 28;  // limit for devices and streams

[[noreturn]] void fail(const std::filesystem::path& path, int error = errno) {
  throw std::system_error(error, std::generic_category(), path.string());
}

// 0 at the end.
std::size_t read_some(int fd, std::span<char> to, const std::filesystem::path& path) {
  ssize_t n = 0;
  do {
    n = ::read(fd, to.data(), to.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0) fail(path);
  return static_cast<std::size_t>(n);
}

std::string read_at(int fd, off_t begin, std::size_t size) {
  std::string text(size, '\0');
  const ssize_t n = ::pread(fd, text.data(), size, begin);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

off_t file_size(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

// Returns the text behind a file's last line break.
std::string text_after_last_break(int fd) {
  constexpr off_t step = 65536;
  const off_t size = file_size(fd);
  for (off_t begin = size; begin > 0;) {
    begin = std::max<off_t>(0, begin - step);
    std::string text = read_at(fd, begin, static_cast<std::size_t>(size - begin));
    const auto last_break = text.rfind('\n');
    if (last_break != std::string::npos) return text.substr(last_break + 1);
    if (begin == 0) return text;
  }
  return "";
}

void cut(int fd, off_t size, const std::filesystem::path& path) {
  if (::ftruncate(fd, size) != 0) fail(path);
}

void append_all_or_nothing(const Fd& fd, std::string_view text, const std::filesystem::path& path) {
  const off_t size = file_size(fd.get());
  try {
    write_all(fd, text, path);
  } catch (const std::system_error&) {
    cut(fd.get(), size, path);
    throw;
  }
  if (::fdatasync(fd.get()) != 0) fail(path);
}

// Refuses what somebody else has put there: a link or a pipe would take the line elsewhere.
Fd open_to_append(const std::filesystem::path& path) {
  Fd fd = try_open_confined(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK);
  if (!fd && errno != ELOOP) fail(path);
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw std::runtime_error(path.string() + ": nothing is written to a link, a pipe or a device");
  if (status.st_nlink > 1)
    throw std::runtime_error(path.string() +
                             ": the file has another name (a hard link), and nothing is written "
                             "there; a copy of it can be written to");
  return fd;
}

// Returns zeros. The kernel is asked for large pages where they are many: else it spends more time
// on giving them one by one than on reading what goes there.
std::string text_of(std::size_t size) {
  constexpr std::size_t large_page = std::size_t{2} << 20;
  std::string text;
  text.reserve(size);
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(text.data()) % large_page;
  if (size >= skip + large_page) ::madvise(text.data() + skip, size - skip, MADV_HUGEPAGE);
  text.resize(size);
  return text;
}

// A pipe that nobody writes to is empty instead of a wait without end. A regular file never has to
// be waited for, unless it is one of the kernel's, as /proc/kmsg.
Fd open_to_read(const std::filesystem::path& path) {
  Fd fd = open_confined(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail(path);
  if (!S_ISREG(status.st_mode) && ::fcntl(fd.get(), F_SETFL, 0) != 0) fail(path);
  return fd;
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

void Fd::reset() {
  if (fd_ >= 0) ::close(release());
}

void write_all(const Fd& fd, std::string_view data, const std::filesystem::path& path) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd.get(), data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string read_file(const std::filesystem::path& path) {
  const Fd fd = open_to_read(path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail(path);
  if (status.st_size > largest_file) fail(path, EFBIG);
  const bool has_size = S_ISREG(status.st_mode) && status.st_size > 0;  // pipes and /proc have none
  std::string content = text_of(has_size ? static_cast<std::size_t>(status.st_size) : 4096);
  std::size_t size = 0;
  while (const std::size_t n = read_some(fd.get(), std::span(content).subspan(size), path)) {
    size += n;
    if (size < content.size()) continue;
    if (has_size) break;  // bytes appended meanwhile are not ours
    if (size > largest_stream) fail(path, EFBIG);
    content.resize(2 * size);
  }
  content.resize(size);
  return content;
}

std::optional<std::string> read_file_if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return read_file(path);
}

std::string read_if_readable(const std::filesystem::path& path) try {
  return std::string(trim(read_file(path)));
} catch (const std::system_error&) {
  return "";
}

std::string file_identity(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "absent";
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  write_file(path, [content](const TakeText& take) { take(content); });
}

void write_file(const std::filesystem::path& given,
                const std::function<void(const TakeText& take)>& give) {
  namespace fs = std::filesystem;
  check_confined(given);
  // A link stays one, and a device or a pipe is written to: neither is to be replaced by a file.
  const fs::path path = fs::is_symlink(given) && fs::exists(given) ? fs::canonical(given) : given;
  if (fs::exists(path) && !fs::is_regular_file(path) && !fs::is_directory(path)) {
    const Fd fd = open_confined(path, O_WRONLY);
    return give([&](std::string_view part) { write_all(fd, part, path); });
  }
  if (path.has_parent_path()) create_confined_folders(path.parent_path());
  // A process of another host may have this one's number, and write here, too.
  const fs::path temporary =
      path.string() + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(fresh_secret());
  try {
    const Fd fd = open_confined(temporary, O_WRONLY | O_CREAT | O_EXCL);
    give([&](std::string_view part) { write_all(fd, part, path); });
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void append_line(const std::filesystem::path& path, std::string_view line,
                 bool (*is_whole)(std::string_view last_line)) {
  if (path.has_parent_path()) create_confined_folders(path.parent_path());
  const Fd fd = open_to_append(path);
  if (::flock(fd.get(), LOCK_EX) != 0) fail(path);
  const std::string left = text_after_last_break(fd.get());
  const bool is_torn = !left.empty() && !is_whole(left);
  if (is_torn) cut(fd.get(), file_size(fd.get()) - static_cast<off_t>(left.size()), path);
  std::string whole = left.empty() || is_torn ? "" : "\n";
  append_all_or_nothing(fd, whole.append(line).append("\n"), path);
}

}  // namespace kbench
