// Signals its parent, its group, the first process and all at once.
#include <signal.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  for (const pid_t pid : {getppid(), -1, 0, 1, -getpid()})
    attack.tried("kill", kill(pid, SIGCONT));  // one that harms nobody where it gets through
  attack.tried("tgkill", syscall(SYS_tgkill, getppid(), getppid(), SIGCONT));
  attack.tried("tkill", syscall(SYS_tkill, getppid(), SIGCONT));
  attack.tried("sigqueue", sigqueue(getppid(), SIGCONT, sigval{}));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
