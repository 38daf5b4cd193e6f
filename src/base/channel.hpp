// Messages between kbench's own processes: a text and some file descriptors over a Unix stream
// socket. A message is its length (8 bytes, native order), then the text; the descriptors travel
// with the length.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace kbench {

struct Message {
  std::string text;
  std::vector<Fd> fds;
};

// A connected pair of sockets, both closed on exec.
std::pair<Fd, Fd> make_channel();

// Sends a message of at most 8 descriptors; throws std::system_error when the other side is gone.
void send_message(int socket, std::string_view text, std::span<const int> fds = {});

constexpr auto forever = std::chrono::hours(24 * 365);  // a timeout that never passes

// Waits until there is something to receive or the other side closed; false where neither comes.
bool wait_readable(int socket, std::chrono::nanoseconds timeout);

// Returns the next message, nothing where the other side closes or `timeout` passes before its end.
std::optional<Message> receive_message(int socket, std::chrono::nanoseconds timeout);

}  // namespace kbench
