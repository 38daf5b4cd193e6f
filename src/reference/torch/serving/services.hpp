// The two services of kbench-torch, and the first message of each.
#pragma once

#include <string_view>

namespace kbench {

// Answers requests that come over `socket` until the other side closes it: one fork for each, so
// that no reference sees another one.
void serve(int socket);

// Answers requests (problem/host_protocol.hpp) on `socket` until the judge is gone: a fork for each
// candidate or reference that is timed, which then is the same as kbench-worker.
void host(int socket);

// Tells the judge on `socket` that this process is ready. Its output, and its forks', is read by
// nobody from then on: until then the judge hears why it does not start.
void greet(int socket, std::string_view message);

}  // namespace kbench
