#include "reference/torch/serving/memory_limit.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <string_view>

namespace kbench {
namespace {

// "VmData" of /proc/self/status, in bytes.
std::uint64_t status_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name, 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  return std::uint64_t{64} << 30;  // no /proc: more than LibTorch ever takes
}

void limit(__rlimit_resource resource, std::uint64_t bytes) {
  const rlimit both{bytes, bytes};
  ::setrlimit(resource, &both);
}

}  // namespace

std::uint64_t data_bytes() { return status_bytes("VmData"); }

// Heap and private mappings by RLIMIT_DATA, which is exact; shared ones and files in memory can be
// had beside it, within the other two. Threads' stacks and arenas are only reserved: hence more.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  constexpr std::uint64_t reserved = std::uint64_t{8} << 30;
  limit(RLIMIT_DATA, data_bytes() + bytes);
  limit(RLIMIT_AS, status_bytes("VmSize") + 2 * bytes + reserved);
  limit(RLIMIT_FSIZE, bytes);
}

}  // namespace kbench
