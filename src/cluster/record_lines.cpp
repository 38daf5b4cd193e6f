#include "cluster/record_lines.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "schema/whole_lines.hpp"

namespace kbench {

RecordLine for_each_record(const std::filesystem::path& file,
                           const std::function<void(const RecordLine& line)>& take,
                           RecordLine next) {
  if (std::filesystem::is_other(file))  // a pipe that nobody writes to is a wait without end
    throw std::runtime_error(fmt::format("{}: is no file of records", file.string()));
  std::string part;
  for (WholeLines lines(file, next.begin); lines.next(part);) {
    std::string_view rest = part;
    for (std::size_t end = 0; (end = rest.find('\n')) != rest.npos; ++next.number) {
      next.text = rest.substr(0, end);
      if (!next.text.empty()) take(next);
      next.begin += end + 1;
      rest.remove_prefix(end + 1);
    }
  }
  next.text = {};
  return next;
}

}  // namespace kbench
