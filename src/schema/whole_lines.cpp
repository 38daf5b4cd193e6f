#include "schema/whole_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/confined.hpp"
#include "base/errno_failure.hpp"

namespace kbench {

namespace fs = std::filesystem;

WholeLines::WholeLines(const fs::path& file, std::uint64_t begin)
    : path_(file),
      fd_(open_confined(file, O_RDONLY)),
      bytes_(std::min<std::uintmax_t>(fs::file_size(file) + 1, 16 << 20)) {
  if (::lseek(fd_.get(), static_cast<off_t>(begin), SEEK_SET) < 0) fail_by_errno(file);
}

bool WholeLines::next(std::string& text) {
  text = std::exchange(rest_, {});
  while (!is_at_end_ && (text.size() < bytes_ || text.find('\n') == text.npos)) read(text);
  if (is_at_end_) return !text.empty();
  rest_ = text.substr(text.rfind('\n') + 1);
  text.resize(text.size() - rest_.size());
  return true;
}

void WholeLines::read(std::string& text) {
  std::size_t end = text.size();
  if (end > longest) errno = EFBIG, fail_by_errno(path_);
  text.resize(end + bytes_);
  while (end < text.size() && !is_at_end_) {
    const ssize_t count = ::read(fd_.get(), text.data() + end, text.size() - end);
    if (count < 0) fail_by_errno(path_);
    end += static_cast<std::size_t>(count);
    is_at_end_ = count == 0;
  }
  text.resize(end);
}

}  // namespace kbench
