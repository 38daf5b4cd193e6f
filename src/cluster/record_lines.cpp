#include "cluster/record_lines.hpp"

#include <fstream>
#include <string>

#include "base/errno_failure.hpp"

namespace kbench {

void for_each_record(const std::filesystem::path& file,
                     const std::function<void(const RecordLine& line)>& take) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_by_errno(file);
  std::string text;
  RecordLine line;
  for (; std::getline(in, text) && !in.eof(); ++line.number) {
    line.text = text;
    if (!text.empty()) take(line);
    line.begin += text.size() + 1;
  }
}

}  // namespace kbench
