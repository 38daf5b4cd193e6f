#include "sandbox/in_fork.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace kbench {

bool write_text(const char* path, std::string_view text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(fd);
  errno = error;
  return good;
}

void outlive(int pidfd) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  ::dup2(pidfd, 0);
  ::syscall(SYS_close_range, 1, ~0U, 0);
  pollfd entry{0, POLLIN, 0};
  while (::poll(&entry, 1, -1) <= 0) {
  }
}

}  // namespace kbench
