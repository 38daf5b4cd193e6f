#include "sandbox/filter.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace kbench {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t first_x32_call = 0x40000000;  // no other architecture has so many

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kill_process = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t failing(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

// The low half of argument `index`; flags, signals and ids fit in it.
constexpr std::uint32_t argument(unsigned index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index);
}

sock_filter load(std::uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
sock_filter give(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
// Goes on with the next instruction when `test` holds, else skips `count` of them.
sock_filter unless_skip(std::uint16_t test, std::uint32_t value, std::uint8_t count) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, count);
}

class Builder {
 public:
  Builder() {
    // The same calls have other numbers for 32-bit code (int 0x80) and for x32.
    add({load(offsetof(seccomp_data, arch)), unless_skip(BPF_JEQ, native_architecture, 1)});
    add({BPF_STMT(BPF_JMP | BPF_JA, 1), give(kill_process)});
    add({load(offsetof(seccomp_data, nr)), unless_skip(BPF_JGE, first_x32_call, 1),
         give(kill_process)});
  }

  void forbid(std::uint32_t call, int error) {
    add({unless_skip(BPF_JEQ, call, 1), give(failing(error))});
  }

  // Fails where any of `bits` is set in argument `index`.
  void forbid_bits(std::uint32_t call, unsigned index, std::uint32_t bits, int error) {
    add({unless_skip(BPF_JEQ, call, 4), load(argument(index)), unless_skip(BPF_JSET, bits, 1),
         give(failing(error)), give(allow)});
  }

  // Fails where none of `bits` is set in argument `index`.
  void demand_bits(std::uint32_t call, unsigned index, std::uint32_t bits, int error) {
    add({unless_skip(BPF_JEQ, call, 4), load(argument(index)), unless_skip(BPF_JSET, bits, 1),
         give(allow), give(failing(error))});
  }

  // Fails where argument `index` is not `value`.
  void demand_value(std::uint32_t call, unsigned index, std::uint32_t value, int error) {
    add({unless_skip(BPF_JEQ, call, 4), load(argument(index)), unless_skip(BPF_JEQ, value, 1),
         give(allow), give(failing(error))});
  }

  SyscallFilter finish() {
    add({give(allow)});
    return std::move(filter_);
  }

 private:
  void add(std::initializer_list<sock_filter> instructions) {
    filter_.insert(filter_.end(), instructions);
  }
  SyscallFilter filter_;
};

// Threads are clones that share the address space; everything else that makes a process fails.
// glibc falls back from clone3, whose flags a filter cannot see, to clone.
void forbid_processes(Builder& builder) {
  builder.forbid(SYS_clone3, ENOSYS);
#ifdef SYS_fork
  builder.forbid(SYS_fork, EAGAIN);
  builder.forbid(SYS_vfork, EAGAIN);
#endif
  builder.demand_bits(SYS_clone, 0, CLONE_THREAD, EAGAIN);
}

constexpr std::uint32_t new_namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

void forbid_writing(Builder& builder) {
#ifdef SYS_open  // x86-64 has both families of calls, newer architectures the second alone
  builder.forbid_bits(SYS_open, 1, writing, EPERM);
  for (const auto call :
       {SYS_creat, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink, SYS_mknod,
        SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat}) {
    builder.forbid(call, EPERM);
  }
#endif
  builder.forbid_bits(SYS_openat, 2, writing, EPERM);
  builder.forbid(SYS_openat2, ENOSYS);
  for (const auto call :
       {SYS_unlinkat,    SYS_renameat,     SYS_renameat2,    SYS_mkdirat,
        SYS_linkat,      SYS_symlinkat,    SYS_mknodat,      SYS_fchmod,
        SYS_fchmodat,    SYS_fchown,       SYS_fchownat,     SYS_truncate,
        SYS_utimensat,   SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr,
        SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_open_by_handle_at}) {
    builder.forbid(call, EPERM);
  }
}

// What changes files without opening them: Landlock has no say in it.
void forbid_marking(Builder& builder) {
#ifdef SYS_chmod
  for (const auto call : {SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat}) {
    builder.forbid(call, EPERM);
  }
#endif
  for (const auto call :
       {SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
        SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr}) {
    builder.forbid(call, EPERM);
  }
}

void forbid_reaching_others(Builder& builder) {
  for (const auto call : {SYS_pidfd_getfd,      SYS_ptrace,
                          SYS_process_vm_readv, SYS_process_vm_writev,
                          SYS_process_madvise,  SYS_kcmp,
                          SYS_migrate_pages,    SYS_move_pages,
                          SYS_ioprio_set,       SYS_sched_setscheduler,
                          SYS_sched_setparam,   SYS_sched_setattr,
                          SYS_shmget,           SYS_shmat,
                          SYS_msgget,           SYS_semget,
                          SYS_mq_open,          SYS_io_uring_setup,
                          SYS_userfaultfd,      SYS_open_by_handle_at,
                          SYS_personality}) {
    builder.forbid(call, EPERM);
  }
}

void forbid_sockets(Builder& builder) {
  for (const auto call : {SYS_socket, SYS_socketpair}) builder.forbid(call, EPERM);
}

// Nor other programs, nor a place among the processes that the judge does not know of.
void forbid_leaving(Builder& builder) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  builder.demand_value(SYS_kill, 0, self, EPERM);
  builder.demand_value(SYS_tgkill, 0, self, EPERM);
  for (const auto call : {SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open,
                          SYS_pidfd_send_signal, SYS_setpgid, SYS_setsid, SYS_setpriority,
                          SYS_sched_setaffinity, SYS_execve, SYS_execveat}) {
    builder.forbid(call, EPERM);
  }
}

void forbid_administration(Builder& builder) {
  builder.demand_value(SYS_prlimit64, 2, 0, EPERM);  // reading limits gives no new ones
  for (const auto call :
       {SYS_setrlimit,       SYS_unshare,       SYS_setns,         SYS_mount,
        SYS_umount2,         SYS_pivot_root,    SYS_chroot,        SYS_fsopen,
        SYS_fsmount,         SYS_move_mount,    SYS_open_tree,     SYS_mount_setattr,
        SYS_swapon,          SYS_swapoff,       SYS_reboot,        SYS_kexec_load,
        SYS_init_module,     SYS_finit_module,  SYS_delete_module, SYS_bpf,
        SYS_perf_event_open, SYS_add_key,       SYS_request_key,   SYS_keyctl,
        SYS_settimeofday,    SYS_clock_settime, SYS_adjtimex,      SYS_clock_adjtime,
        SYS_sethostname,     SYS_setdomainname, SYS_acct,          SYS_quotactl,
        SYS_syslog,          SYS_fanotify_init}) {
    builder.forbid(call, EPERM);
  }
}

}  // namespace

SyscallFilter no_processes() {
  Builder builder;
  forbid_processes(builder);
  return builder.finish();
}

SyscallFilter no_intrusion(bool local_sockets) {
  Builder builder;
  if (local_sockets) {
    for (const auto call : {SYS_socket, SYS_socketpair})
      builder.demand_value(call, 0, AF_UNIX, EPERM);
  } else {
    forbid_sockets(builder);
  }
  builder.forbid(SYS_clone3, ENOSYS);  // a filter does not see what it asks for
  builder.forbid_bits(SYS_clone, 0, new_namespaces, EPERM);
  forbid_reaching_others(builder);
  forbid_administration(builder);
  return builder.finish();
}

SyscallFilter only_itself() {
  Builder builder;
  forbid_processes(builder);
  forbid_marking(builder);
  forbid_sockets(builder);
  forbid_reaching_others(builder);
  forbid_leaving(builder);
  forbid_administration(builder);
  return builder.finish();
}

SyscallFilter only_computing() {
  Builder builder;
  forbid_processes(builder);
  forbid_writing(builder);
  forbid_sockets(builder);
  forbid_reaching_others(builder);
  forbid_leaving(builder);
  forbid_administration(builder);
  return builder.finish();
}

bool install(const SyscallFilter& filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace kbench
