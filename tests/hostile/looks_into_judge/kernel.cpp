// Reads the memory of other processes, and takes their descriptors.
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  char buffer[16];
  const iovec to{buffer, sizeof buffer};
  const iovec from{reinterpret_cast<void*>(0x400000), sizeof buffer};
  const long first = getppid() > 0 ? getppid() : 1;
  for (const long pid : {first, 1L, static_cast<long>(getpid()) - 1}) {
    attack.tried("ptrace", ptrace(PTRACE_SEIZE, pid, nullptr, nullptr));
    attack.tried("process_vm_readv", syscall(SYS_process_vm_readv, pid, &to, 1UL, &from, 1UL, 0UL));
    attack.tried("process_vm_writev",
                 syscall(SYS_process_vm_writev, pid, &to, 1UL, &from, 1UL, 0UL));
    const long fd = syscall(SYS_pidfd_open, pid, 0);
    attack.tried("pidfd_open", fd);
    attack.tried("pidfd_getfd", syscall(SYS_pidfd_getfd, fd, 3, 0));
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/mem", pid);
    attack.opens(path, O_RDWR);
  }
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
