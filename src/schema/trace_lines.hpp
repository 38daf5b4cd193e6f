// Files of lines, a part at a time: however large they are, little is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace kbench {

// Whole lines of a file, so many that all cores have some. A part, which is zeroed before it is
// read, is no larger than the file.
class WholeLines {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 30;  // limit of a line, bytes

  // Starts at the byte `begin`. Throws std::system_error, as next() does: EFBIG for a longer line.
  explicit WholeLines(const std::filesystem::path& file, std::uint64_t begin = 0);

  // Puts the next ones into `text`, the last one perhaps without its break; false at the end.
  bool next(std::string& text);

 private:
  void read(std::string& text);

  std::filesystem::path path_;
  Fd fd_;
  std::size_t bytes_;
  std::string rest_;
  bool is_at_end_ = false;
};

}  // namespace kbench
