#include "cluster/record_lines.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "base/confined.hpp"
#include "base/errno_failure.hpp"

namespace kbench {

RecordLine for_each_record(const std::filesystem::path& file,
                           const std::function<void(const RecordLine& line)>& take,
                           RecordLine next) {
  if (std::filesystem::is_other(file))  // a pipe that nobody writes to is a wait without end
    throw std::runtime_error(fmt::format("{}: is no file of records", file.string()));
  check_confined(file);
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_by_errno(file);
  in.seekg(static_cast<std::streamoff>(next.begin));
  std::string text;
  for (; std::getline(in, text) && !in.eof(); ++next.number) {
    next.text = text;
    if (!text.empty()) take(next);
    next.begin += text.size() + 1;
  }
  next.text = {};
  return next;
}

}  // namespace kbench
