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

// Gives the lines from `next` on, and returns where those begin that are not there yet. What a
// writer left of a last line, without its break, is no line.
RecordLine for_each_record(const std::filesystem::path& file,
                           const std::function<void(const RecordLine& line)>& take,
                           RecordLine next = {});

}  // namespace kbench
