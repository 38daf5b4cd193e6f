// Files of records, line by line: however many there are, one is in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace kbench {

struct RecordLine {
  std::string_view text;    // without its break
  std::uint64_t begin = 0;  // byte of the file
  int number = 1;
};

// What a writer that died left of a last line, without its break, is no line.
void for_each_record(const std::filesystem::path& file,
                     const std::function<void(const RecordLine& line)>& take);

}  // namespace kbench
