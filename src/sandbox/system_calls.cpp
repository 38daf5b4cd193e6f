#include <sys/syscall.h>

#include "sandbox/filter.hpp"

namespace kbench {
namespace {

constexpr std::uint32_t computing[] = {
    // Memory.
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_msync,
    SYS_mincore,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    SYS_memfd_create,
    SYS_membarrier,
    // Threads.
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_sched_rr_get_interval,
    SYS_sched_getattr,
    SYS_getcpu,
    SYS_getpriority,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    // Time.
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    // Signals that it gets.
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_signalfd4,
    // Identity and place of the process.
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_capget,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_getrandom,
    SYS_umask,
    // Descriptors that are open.
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_lseek,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_eventfd2,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_ppoll,
    SYS_pselect6,
    SYS_fstat,
    SYS_fstatfs,
    SYS_fsync,
    SYS_fdatasync,
    SYS_flock,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_sendfile,
    SYS_copy_file_range,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_shutdown,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
#ifdef SYS_open  // x86-64 has an older call for many of these
    SYS_arch_prctl,
    SYS_dup2,
    SYS_pipe,
    SYS_eventfd,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_poll,
    SYS_select,
    SYS_time,
    SYS_alarm,
    SYS_pause,
    SYS_getpgrp,
    SYS_signalfd,
#endif
#ifdef SYS_futex_waitv
    SYS_futex_waitv,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
#ifdef SYS_map_shadow_stack
    SYS_map_shadow_stack,
#endif
};

constexpr std::uint32_t looking[] = {
    SYS_newfstatat, SYS_statx,  SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
    SYS_getdents64, SYS_getcwd, SYS_chdir,     SYS_fchdir,     SYS_statfs,
#ifdef SYS_open
    SYS_stat,       SYS_lstat,  SYS_access,    SYS_readlink,   SYS_getdents,
#endif
};

constexpr std::uint32_t changing[] = {
    SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_truncate,
#ifdef SYS_open
    SYS_creat,   SYS_mkdir,    SYS_rmdir,    SYS_unlink,    SYS_rename, SYS_link,      SYS_symlink,
#endif
};

constexpr std::uint32_t marking[] = {
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat,
#ifdef SYS_open
    SYS_chmod,  SYS_chown,    SYS_lchown, SYS_utime,    SYS_utimes,    SYS_futimesat,
#endif
};

constexpr std::uint32_t starting[] = {
    SYS_execve,      SYS_execveat,
    SYS_wait4,       SYS_waitid,
    SYS_kill,        SYS_tgkill,
    SYS_tkill,       SYS_setpgid,
    SYS_setsid,      SYS_prlimit64,
    SYS_getrlimit,   SYS_setrlimit,
    SYS_setpriority, SYS_sched_setaffinity,
    SYS_pidfd_open,  SYS_pidfd_send_signal,
#ifdef SYS_fork
    SYS_fork,        SYS_vfork,
#endif
};

constexpr std::uint32_t connecting[] = {SYS_bind,    SYS_listen,     SYS_accept,   SYS_accept4,
                                        SYS_connect, SYS_setsockopt, SYS_sendmmsg, SYS_recvmmsg};

constexpr std::uint32_t attributes[] = {SYS_getxattr,    SYS_lgetxattr,    SYS_fgetxattr,
                                        SYS_listxattr,   SYS_llistxattr,   SYS_flistxattr,
                                        SYS_setxattr,    SYS_lsetxattr,    SYS_fsetxattr,
                                        SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr};

}  // namespace

std::span<const std::uint32_t> computing_calls() { return computing; }
std::span<const std::uint32_t> looking_calls() { return looking; }
std::span<const std::uint32_t> changing_calls() { return changing; }
std::span<const std::uint32_t> marking_calls() { return marking; }
std::span<const std::uint32_t> starting_calls() { return starting; }
std::span<const std::uint32_t> connecting_calls() { return connecting; }
std::span<const std::uint32_t> attribute_calls() { return attributes; }

}  // namespace kbench
