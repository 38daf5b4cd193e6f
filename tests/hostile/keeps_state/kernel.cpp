// Leaves something for its next run: keys, IPC objects.
#include <linux/keyctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  attack.tried("add_key",
               syscall(SYS_add_key, "user", "hostile", "kept", 4UL, KEY_SPEC_USER_KEYRING));
  attack.tried("keyctl", syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr, 0, 0, 0));
  attack.tried("shmget", shmget(0x6b62, 4096, IPC_CREAT | 0600));
  attack.tried("msgget", msgget(0x6b62, IPC_CREAT | 0600));
  attack.tried("semget", semget(0x6b62, 1, IPC_CREAT | 0600));
  attack.tried("mq_open", syscall(SYS_mq_open, "hostile", O_RDWR | O_CREAT, 0600, nullptr));
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
