#include "base/memory.hpp"

#include <string>

#include "base/file.hpp"

namespace kbench {

std::uint64_t available_memory() {
  const std::string info = read_file_if_there("/proc/meminfo").value_or("");
  const auto at = info.find("MemAvailable:");
  return at == std::string::npos ? UINT64_MAX : std::stoull(info.substr(at + 13)) * 1024;
}

}  // namespace kbench
