// Changes the size of everything it has a descriptor of.
#include <sys/mman.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  for (int fd = 0; fd < 1024; ++fd) {
    attack.tried("ftruncate", ftruncate(fd, 0));
    attack.tried("ftruncate", ftruncate(fd, 1 << 30));
    attack.tried("seal", fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
  }
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
