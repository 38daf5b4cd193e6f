// Gives itself more memory and its parent less.
#include <sys/resource.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
  const rlimit less{1 << 30, RLIM_INFINITY};
  attack.tried("setrlimit", setrlimit(RLIMIT_DATA, &more));
  attack.tried("prlimit", syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, &less, nullptr));
  attack.tried("setrlimit", setrlimit(RLIMIT_FSIZE, &more));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
