#include "measure/machine/state.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::optional<double> first_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Intel's driver has a file of its own, which says the opposite.
std::optional<Boost> boost(const fs::path& root) {
  constexpr std::pair<const char*, const char*> files[] = {
      {"sys/devices/system/cpu/cpufreq/boost", "0"},
      {"sys/devices/system/cpu/intel_pstate/no_turbo", "1"}};
  for (const auto& [file, off] : files) {
    const std::string now = read_if_readable(root / file);
    if (!now.empty()) return Boost{now != off, (root / file).string(), off};
  }
  return std::nullopt;
}

}  // namespace

MachineState machine_state(const fs::path& root) {
  return {first_number(read_if_readable(root / "proc/loadavg")),
          read_if_readable(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          boost(root)};
}

namespace {

constexpr std::string_view name = "kbench times";

// Zero, or errno.
int take(int socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // it begins with a zero byte
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 ? 0 : errno;
}

}  // namespace

// Nobody is waited for where there are no sockets: times are taken as they always were.
TimingTurn::TimingTurn(std::chrono::milliseconds patience)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (socket_ && take(socket_.get()) == EADDRINUSE) {
    if (std::chrono::steady_clock::now() >= limit) return;
    ::poll(nullptr, 0, 2);
  }
}

}  // namespace kbench
