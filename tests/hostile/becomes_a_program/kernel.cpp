// Becomes another program, which ends well.
#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  char name[] = "/bin/true";
  char* const arguments[] = {name, nullptr};
  attack.tried("execve", execve(name, arguments, nullptr));
  attack.tried("execveat", syscall(SYS_execveat, AT_FDCWD, name, arguments, nullptr, 0));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
