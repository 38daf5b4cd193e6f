// Ends the thread that the process began with, and fills the disk from another one.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "right.h"

using kbench::Tensor;

namespace {

void fill() {
  usleep(50'000);  // until the other has ended
  constexpr off_t size = 4 << 20;
  for (int i = 0; i < 40; ++i) {
    const int fd = open("file", O_CREAT | O_RDWR, 0600);
    if (fd < 0 || posix_fallocate(fd, 0, size) != 0) _exit(3);
    mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unlink("file");
    close(fd);
  }
  sleep(1);
  _exit(3);
}

}  // namespace

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  std::thread(&fill).detach();
  syscall(SYS_exit, 0);
}

KBENCH_EXPORT(run, rmsnorm)
