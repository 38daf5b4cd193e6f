#include "base/memory.hpp"

#include <string>

#include "base/file.hpp"

namespace kbench {

namespace {

std::uint64_t read(const std::string& key) {
  const std::string info = read_file_if_there("/proc/meminfo").value_or("");
  const auto at = info.find(key);
  return at == std::string::npos ? UINT64_MAX : std::stoull(info.substr(at + key.size())) * 1024;
}

}  // namespace

std::uint64_t available_memory() { return read("MemAvailable:"); }

std::uint64_t total_memory() { return read("MemTotal:"); }

}  // namespace kbench
