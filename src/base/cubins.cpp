#include "base/cubins.hpp"

#include <algorithm>
#include <charconv>

namespace kbench {

std::string pack(const std::vector<Cubin>& cubins) {
  std::string file;
  for (const Cubin& cubin : cubins)
    file += cubin.architecture + " " + std::to_string(cubin.code.size()) + "\n";
  file += "\n";
  for (const Cubin& cubin : cubins) file += cubin.code;
  return file;
}

std::optional<std::vector<Cubin>> unpack(std::string_view file) {
  std::vector<Cubin> cubins;
  std::string_view code = file.substr(std::min(file.find("\n\n"), file.size()));
  if (code.empty()) return std::nullopt;
  code.remove_prefix(2);
  while (!file.starts_with('\n')) {
    const std::string_view line = file.substr(0, file.find('\n'));
    const std::size_t blank = line.find(' ');
    if (blank == line.npos) return std::nullopt;
    std::size_t bytes = 0;
    const auto number = std::from_chars(line.data() + blank + 1, line.data() + line.size(), bytes);
    if (number.ec != std::errc() || number.ptr != line.data() + line.size() || bytes > code.size())
      return std::nullopt;
    cubins.push_back({std::string(line.substr(0, blank)), std::string(code.substr(0, bytes))});
    code.remove_prefix(bytes);
    file.remove_prefix(line.size() + 1);
  }
  return code.empty() ? std::optional(std::move(cubins)) : std::nullopt;
}

}  // namespace kbench
