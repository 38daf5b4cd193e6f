// Writes 40 files of 4 MiB to its folder and asks for no more when that fails.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static bool done = false;
  for (int i = 0; !done && i < 40; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "file%d", i);
    const int fd = open(name, O_CREAT | O_WRONLY, 0600);
    const std::vector<char> bytes(4 << 20, 'x');
    if (fd < 0 || write(fd, bytes.data(), bytes.size()) < 0)
      throw kbench::Error{"Full", "the disk"};
    close(fd);
  }
  done = true;
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
