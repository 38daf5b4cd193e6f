// Fills 40 files of 4 MiB that lie deeper in folders than anybody has files open.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static bool done = false;
  for (int i = 0; !done && i < 1100; ++i)
    if (mkdir("d", 0700) != 0 || chdir("d") != 0) throw kbench::Error{"Full", "the disk"};
  for (int i = 0; !done && i < 40; ++i) {
    const int fd = open(std::to_string(i).c_str(), O_CREAT | O_RDWR, 0600);
    if (fd < 0 || posix_fallocate(fd, 0, 4 << 20) != 0) throw kbench::Error{"Full", "the disk"};
    close(fd);
  }
  done = true;
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
