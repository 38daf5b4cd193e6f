// Chooses cores and a scheduling class for itself and its parent.
#include <sched.h>
#include <sys/resource.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  const sched_param realtime{1};
  for (const pid_t pid : {0, getppid()}) {
    attack.tried("sched_setaffinity", sched_setaffinity(pid, sizeof all, &all));
    attack.tried("sched_setscheduler", sched_setscheduler(pid, SCHED_FIFO, &realtime));
    attack.tried("setpriority", setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 1));
  }
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
