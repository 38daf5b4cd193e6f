// Asks for calls that no kernel needs: they reach the terminal, watch files, mark them, have the
// kernel signal others, or change what the process may be seen by.
#include <linux/fs.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/quota.h>
#include <sys/uio.h>
#include <sys/xattr.h>

#include <csignal>

#include "attack.h"
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  Attack attack;
  char zeros[256] = {};
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) ends[0] = ends[1] = 0;
  const int file = open("file", O_RDWR | O_CREAT, 0600);
  attack.tried("vhangup", syscall(SYS_vhangup));
  attack.tried("inotify", inotify_init1(0));
  attack.tried("fanotify", syscall(SYS_fanotify_init, 0, 0));
  attack.tried("getxattr", getxattr(".", "user.a", zeros, sizeof zeros));
  attack.tried("setxattr", fsetxattr(file, "user.a", "b", 1, 0));
  attack.tried("a lease", fcntl(file, F_SETLEASE, F_WRLCK));
  attack.tried("a directory's signals", fcntl(file, F_NOTIFY, DN_CREATE));
  attack.tried("a pipe's owner", fcntl(ends[0], F_SETOWN, getppid()));
  attack.tried("a pipe's signal", fcntl(ends[0], F_SETSIG, SIGKILL));
  attack.tried("vmsplice", syscall(SYS_vmsplice, ends[1], zeros, 0, 0));
  attack.tried("splice", syscall(SYS_splice, ends[0], nullptr, ends[1], nullptr, 0, 0));
  long marks = FS_NODUMP_FL | FS_NOATIME_FL;
  attack.tried("marks of a file", ioctl(file, FS_IOC_SETFLAGS, &marks));
  attack.tried("a life beyond the judge's", prctl(PR_SET_PDEATHSIG, 0));
  attack.tried("a tracer", prctl(0x59616d61, getppid()));  // PR_SET_PTRACER
  attack.tried("not dumpable", prctl(PR_SET_DUMPABLE, 0));
  attack.tried("a subreaper", prctl(PR_SET_CHILD_SUBREAPER, 1));
  attack.tried("speculation", prctl(PR_SET_SPECULATION_CTRL, 0, 4, 0, 0));
  attack.tried("sync", syscall(SYS_sync));
  attack.tried("syncfs", syscall(SYS_syncfs, file));
  attack.tried("the kernel's log", syscall(SYS_syslog, 10, nullptr, 0));
  attack.tried("a handle", syscall(SYS_name_to_handle_at, AT_FDCWD, ".", zeros, zeros, 0));
  attack.tried("a quota", syscall(SYS_quotactl, QCMD(Q_SYNC, USRQUOTA), nullptr, 0, nullptr));
  attack.tried("pages locked for ever", syscall(SYS_mlockall, 7));
  attack.tried("a pidfd", syscall(SYS_pidfd_open, getppid(), 0));
  attack.tried("secret memory", syscall(SYS_memfd_secret, 0));
  static char stack[1 << 16];
  attack.tried("a thread's own open files",
               clone([](void*) { return pause(); }, stack + sizeof stack,
                     CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, nullptr));
  attack.tried("its own open files", syscall(SYS_close_range, 900, 900, 2));  // CLOSE_RANGE_UNSHARE
  attack.tried("an I/O context", syscall(SYS_io_setup, 1, zeros));
#ifdef __x86_64__
  attack.tried("a port", syscall(SYS_ioperm, 0x80, 1, 1));
  attack.tried("modify_ldt", syscall(SYS_modify_ldt, 0, zeros, sizeof zeros));
#endif
  attack.end();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
