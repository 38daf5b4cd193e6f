#include "machine/timing_turn.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace kbench {
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

// Where there are no sockets nobody is waited for: times are taken as they always were.
TimingTurn::TimingTurn(std::chrono::milliseconds patience)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (socket_ && take(socket_.get()) == EADDRINUSE) {
    if (std::chrono::steady_clock::now() >= limit) return;
    ::poll(nullptr, 0, 2);
  }
}

}  // namespace kbench
