#include "sandbox/filter.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace kbench {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t native_architecture = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t first_x32_call = 0x40000000;  // no other architecture has so many

constexpr std::uint32_t allow_call = SECCOMP_RET_ALLOW;
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
    // 32-bit code (int 0x80) and x32 have other numbers for the same calls.
    add({load(offsetof(seccomp_data, arch)), unless_skip(BPF_JEQ, native_architecture, 1)});
    add({BPF_STMT(BPF_JMP | BPF_JA, 1), give(kill_process)});
    add({load(offsetof(seccomp_data, nr)), unless_skip(BPF_JGE, first_x32_call, 1),
         give(kill_process)});
  }

  void answer(std::uint32_t call, std::uint32_t action) {
    add({unless_skip(BPF_JEQ, call, 1), give(action)});
  }
  void allow_all(std::span<const std::uint32_t> calls) {
    for (const std::uint32_t call : calls) answer(call, allow_call);
  }

  // Fails where any of `bits` is set in argument `index`.
  void forbid_bits(std::uint32_t call, unsigned index, std::uint32_t bits, int error) {
    add({unless_skip(BPF_JEQ, call, 4), load(argument(index)), unless_skip(BPF_JSET, bits, 1),
         give(failing(error)), give(allow_call)});
  }

  // Fails where not all of `bits` are set in argument `index`.
  void demand_bits(std::uint32_t call, unsigned index, std::uint32_t bits, int error) {
    add({unless_skip(BPF_JEQ, call, 5), load(argument(index)),
         BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits), unless_skip(BPF_JEQ, bits, 1), give(allow_call),
         give(failing(error))});
  }

  // Fails where argument `index` is none of `values`.
  void demand_values(std::uint32_t call, unsigned index, std::span<const std::uint32_t> values) {
    add({unless_skip(BPF_JEQ, call, static_cast<std::uint8_t>(2 + 2 * values.size())),
         load(argument(index))});
    for (const std::uint32_t value : values)
      add({unless_skip(BPF_JEQ, value, 1), give(allow_call)});
    add({give(failing(EPERM))});
  }
  void demand_value(std::uint32_t call, unsigned index, std::uint32_t value) {
    demand_values(call, index, std::span(&value, 1));
  }

  // Fails where argument `first` or `second` is not 0, an address by both of its halves.
  void demand_zeros(std::uint32_t call, unsigned first, unsigned second) {
    const std::uint32_t halves[] = {argument(first), argument(first) + 4, argument(second),
                                    argument(second) + 4};
    std::uint8_t left = 2 * std::size(halves);
    add({unless_skip(BPF_JEQ, call, static_cast<std::uint8_t>(left + 2))});
    for (const std::uint32_t half : halves) {
      left -= 2;
      add({load(half), unless_skip(BPF_JEQ, 0, static_cast<std::uint8_t>(left + 1))});
    }
    add({give(allow_call), give(failing(EPERM))});
  }

  // Fails for a clock (argument 0) of the processor time that some process has used: its id is
  // negative. Clocks of threads are of the caller's alone.
  void forbid_process_clocks(std::uint32_t call) {
    constexpr std::uint32_t negative = 0x80000000, of_thread = 4;
    add({unless_skip(BPF_JEQ, call, 5), load(argument(0)), unless_skip(BPF_JSET, negative, 1),
         unless_skip(BPF_JSET, of_thread, 1), give(allow_call), give(failing(EINVAL))});
  }

  // Ends the filter: `otherwise` is the answer to all other calls.
  SyscallFilter finish(std::uint32_t otherwise) {
    add({give(otherwise)});
    return std::move(filter_);
  }
  // Refuses all other calls; those that the kernel has got since 5.1 are not there, so that
  // programs take an older one.
  SyscallFilter finish() {
    constexpr std::uint32_t first_new_call = 424;
    add({unless_skip(BPF_JGE, first_new_call, 1), give(failing(ENOSYS))});
    return finish(failing(EPERM));
  }

 private:
  void add(std::initializer_list<sock_filter> instructions) {
    filter_.insert(filter_.end(), instructions);
  }
  SyscallFilter filter_;
};

// Threads are clones that share the address space and the table of open files, in which the judge
// looks for files that take the disk; everything else that makes a process fails. glibc falls back
// from clone3, whose flags a filter cannot see, to clone.
void forbid_processes(Builder& builder) {
  builder.answer(SYS_clone3, failing(ENOSYS));
#ifdef SYS_fork
  builder.answer(SYS_fork, failing(EAGAIN));
  builder.answer(SYS_vfork, failing(EAGAIN));
#endif
  builder.demand_bits(SYS_clone, 0, CLONE_VM | CLONE_FILES | CLONE_THREAD, EAGAIN);
}

constexpr std::uint32_t new_namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

// None of these makes the kernel signal somebody when a descriptor is ready or a file is opened, or
// seals a memory file: F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_ADD_SEALS.
constexpr std::uint32_t descriptor_commands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,      F_SETFL,      F_GETLK,
    F_SETLK, F_SETLKW,        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS};
// Options about the process's own threads and memory.
constexpr std::uint32_t process_options[] = {
    PR_SET_NAME,         PR_GET_NAME,         PR_GET_DUMPABLE,  PR_SET_VMA,
    PR_GET_SECCOMP,      PR_CAPBSET_READ,     PR_GET_PDEATHSIG, PR_GET_TIMERSLACK,
    PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_SECCOMP};

// Commands about terminals, pipes and descriptors: none changes the attributes of a file.
constexpr std::uint32_t device_commands[] = {TCGETS,  TIOCGWINSZ, FIONREAD,
                                             FIONBIO, FIOCLEX,    FIONCLEX};

// A process that starts programs may wait for processes that these leave behind.
std::vector<std::uint32_t> options_of(bool starts_programs) {
  std::vector<std::uint32_t> options(std::begin(process_options), std::end(process_options));
  if (starts_programs) options.push_back(PR_SET_CHILD_SUBREAPER);
  return options;
}

// `has_devices`: any ioctl is allowed.
void allow_computing(Builder& builder, bool has_devices, bool starts_programs = false) {
  builder.allow_all(computing_calls());
  if (has_devices)
    builder.answer(SYS_ioctl, allow_call);
  else
    builder.demand_values(SYS_ioctl, 1, device_commands);
  builder.demand_values(SYS_fcntl, 1, descriptor_commands);
  builder.demand_values(SYS_prctl, 0, options_of(starts_programs));
  builder.forbid_bits(SYS_close_range, 2, CLOSE_RANGE_UNSHARE, EPERM);  // no file table of its own
  for (const std::uint32_t call :
       {SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_timer_create})
    builder.forbid_process_clocks(call);
  for (const std::uint32_t call : attribute_calls()) builder.answer(call, failing(ENOTSUP));
}

// x86-64 has both calls, newer architectures the second alone.
void allow_opening(Builder& builder) {
#ifdef SYS_open
  builder.answer(SYS_open, allow_call);
#endif
  builder.answer(SYS_openat, allow_call);
}

void allow_opening_to_read(Builder& builder) {
#ifdef SYS_open
  builder.forbid_bits(SYS_open, 1, writing, EPERM);
#endif
  builder.forbid_bits(SYS_openat, 2, writing, EPERM);
}

// Allows signals to itself alone, and reading its limits.
void allow_itself(Builder& builder) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  builder.demand_value(SYS_kill, 0, self);
  builder.demand_value(SYS_tgkill, 0, self);
  builder.demand_zeros(SYS_prlimit64, 0, 2);  // its own limits, and no new ones
  builder.answer(SYS_getrlimit, allow_call);
}

}  // namespace

SyscallFilter no_processes() {
  Builder builder;
  forbid_processes(builder);
  return builder.finish(allow_call);
}

SyscallFilter no_intrusion(bool local_sockets) {
  Builder builder;
  allow_computing(builder, local_sockets, true);  // a profiler has both
  for (const auto calls : {looking_calls(), changing_calls(), marking_calls(), starting_calls()})
    builder.allow_all(calls);
  allow_opening(builder);
  builder.answer(SYS_clone3, failing(ENOSYS));  // a filter cannot see its flags
  builder.forbid_bits(SYS_clone, 0, new_namespaces, EPERM);
  if (!local_sockets) return builder.finish();
  builder.allow_all(connecting_calls());
  for (const auto call : {SYS_socket, SYS_socketpair}) builder.demand_value(call, 0, AF_UNIX);
  return builder.finish();
}

SyscallFilter only_itself(bool has_devices) {
  Builder builder;
  allow_computing(builder, has_devices);
  builder.allow_all(looking_calls());
  builder.allow_all(changing_calls());
  allow_opening(builder);
  forbid_processes(builder);
  allow_itself(builder);
  return builder.finish();
}

SyscallFilter only_computing() {
  Builder builder;
  allow_computing(builder, false);
  builder.allow_all(looking_calls());
  allow_opening_to_read(builder);
  forbid_processes(builder);
  allow_itself(builder);
  return builder.finish();
}

bool install(const SyscallFilter& filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace kbench
