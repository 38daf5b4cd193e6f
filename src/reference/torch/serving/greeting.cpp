#include "reference/torch/serving/greeting.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/channel.hpp"
#include "base/file.hpp"
#include "base/system.hpp"

namespace kbench {

void greet(int socket, std::string_view message) {
  std::fflush(nullptr);
  const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    if (::dup2(nowhere.get(), output) < 0) fail_by_errno("dup2");
  send_message(socket, message);
}

}  // namespace kbench
