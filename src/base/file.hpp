// Files: reading whole, writing so that a crash leaves the old or the new content, appending lines.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kbench {

// The content of a file. Throws std::system_error when it cannot be read, and for more than 4 GiB
// (of a device or pipe 256 MiB).
std::string read_file(const std::filesystem::path& path);

// Reads as read_file does; returns nothing where the file does not exist.
std::optional<std::string> read_file_if_there(const std::filesystem::path& path);

// The content of a file without blanks around it, "" where it cannot be read, as with what the
// kernel shows in /proc and /sys on some machines alone.
std::string read_if_readable(const std::filesystem::path& path);

// Changes whenever the file may have: inode, size and time of change, "absent" without one. Reading
// a compiler or a library to know it again would cost more than what is looked up by it.
std::string file_identity(const std::filesystem::path& path);

// Takes a text, a part at a time.
using TakeText = std::function<void(std::string_view part)>;

// Writes to a temporary file beside `path` and renames it; makes the folders that are missing.
void write_file(const std::filesystem::path& path, std::string_view content);
// Writes what `give` gives, however much it is.
void write_file(const std::filesystem::path& path,
                const std::function<void(const TakeText& take)>& give);

// Appends `line` and a line break with one write(2) and syncs it to disk; a write that fails (a
// full disk) leaves the file as it was. A last line without its line break is ended first if it
// `is_whole`; otherwise a writer died in the middle of it, and it is cut off. Throws where `path`
// is a link or no regular file.
void append_line(const std::filesystem::path& path, std::string_view line,
                 bool (*is_whole)(std::string_view last_line));

// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// Writes all of it, where write(2) may write a part. Throws std::system_error.
void write_all(const Fd& fd, std::string_view data, const std::filesystem::path& path);

}  // namespace kbench
