#include "base/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/system.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t max_fds = 8;
constexpr std::uint64_t max_text = std::uint64_t{1} << 30;

bool wait_until(int socket, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{socket, POLLIN, 0};
    const int ready =
        ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) fail_by_errno("poll");
  }
}

// Receives up to `size` bytes and whatever descriptors come with them; 0: the other side closed.
std::size_t receive_some(int socket, char* data, std::size_t size, std::vector<Fd>& fds) {
  iovec part{data, size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_fds * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  if (n <= 0) return 0;  // ECONNRESET is the other side's end, too
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
  return static_cast<std::size_t>(n);
}

bool receive_all(int socket, char* data, std::size_t size, Clock::time_point deadline,
                 std::vector<Fd>& fds) {
  while (size > 0) {
    if (!wait_until(socket, deadline)) return false;
    const std::size_t n = receive_some(socket, data, size, fds);
    if (n == 0) return false;
    data += n;
    size -= n;
  }
  return true;
}

}  // namespace

std::pair<Fd, Fd> make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_by_errno("socketpair");
  return {Fd(ends[0]), Fd(ends[1])};
}

bool wait_readable(int socket, std::chrono::nanoseconds timeout) {
  return wait_until(socket, Clock::now() + timeout);
}

void send_message(int socket, std::string_view text, std::span<const int> fds) {
  std::uint64_t length = text.size();
  std::array<iovec, 2> parts{iovec{&length, sizeof length},
                             iovec{const_cast<char*>(text.data()), text.size()}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_fds * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
  }
  std::size_t left = sizeof length + text.size();
  while (left > 0) {
    const ssize_t n = ::sendmsg(socket, &header, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_by_errno("sendmsg");
    left -= static_cast<std::size_t>(n);
    header.msg_control = nullptr;  // the descriptors went with the first part
    header.msg_controllen = 0;
    std::size_t sent = static_cast<std::size_t>(n);
    for (iovec& part : parts) {
      const std::size_t step = std::min(sent, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + step;
      part.iov_len -= step;
      sent -= step;
    }
  }
}

std::optional<Message> receive_message(int socket, std::chrono::nanoseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  Message message;
  std::uint64_t length = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&length), sizeof length, deadline,
                   message.fds)) {
    return std::nullopt;
  }
  if (length > max_text) return std::nullopt;
  message.text.resize(length);
  if (!receive_all(socket, message.text.data(), length, deadline, message.fds)) return std::nullopt;
  return message;
}

}  // namespace kbench
