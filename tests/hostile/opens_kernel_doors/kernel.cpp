// Asks for parts of the kernel that have been ways out of sandboxes.
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mount.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  char zeros[256] = {};
  perf_event_attr events{};
  events.type = PERF_TYPE_SOFTWARE;
  events.size = sizeof events;
  attack.tried("io_uring", syscall(SYS_io_uring_setup, 1, zeros));
  attack.tried("userfaultfd", syscall(SYS_userfaultfd, 1));
  attack.tried("perf", syscall(SYS_perf_event_open, &events, 0, -1, -1, 0));
  attack.tried("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, zeros, sizeof zeros));
  attack.tried("personality", syscall(SYS_personality, 0x0040000));
  attack.tried("unshare", unshare(CLONE_NEWUSER));
  attack.tried("mount", mount("none", "/", "tmpfs", 0, nullptr));
  attack.tried("chroot", chroot("."));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
