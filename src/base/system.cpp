#include "base/system.hpp"

#include <stdlib.h>
#include <sys/random.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "base/file.hpp"

namespace kbench {

void fail_by_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr ? value : "";
}

namespace {

std::uint64_t read(const std::string& key) {
  const std::string info = read_file_if_there("/proc/meminfo").value_or("");
  const auto at = info.find(key);
  return at == std::string::npos ? UINT64_MAX : std::stoull(info.substr(at + key.size())) * 1024;
}

}  // namespace

std::uint64_t available_memory() { return read("MemAvailable:"); }

std::uint64_t total_memory() { return read("MemTotal:"); }

std::uint64_t fresh_secret() {
  std::uint64_t secret = 0;
  if (::getrandom(&secret, sizeof secret, 0) != sizeof secret)
    throw std::runtime_error("getrandom failed");
  return secret;
}

}  // namespace kbench
