// forbid ERRNO CALL… -- PROGRAM ARGUMENT…: runs a program under a filter of system calls like that
// of a container, whose named calls fail with that error number.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

const std::map<std::string, unsigned> calls = {
    {"unshare", SYS_unshare},       {"mount", SYS_mount},
    {"pivot_root", SYS_pivot_root}, {"open_tree", SYS_open_tree},
    {"move_mount", SYS_move_mount}, {"mount_setattr", SYS_mount_setattr},
    {"clone3", SYS_clone3},         {"landlock_create_ruleset", 444},
    {"landlock_add_rule", 445},     {"landlock_restrict_self", 446},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 125;
  const unsigned error = static_cast<unsigned>(std::atoi(argv[1]));
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr)))};
  int at = 2;
  for (; at < argc && std::string(argv[at]) != "--"; ++at) {
    const auto call = calls.find(argv[at]);
    if (call == calls.end()) return 125;
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->second, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (at + 1 >= argc || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("forbid");
    return 125;
  }
  ::execv(argv[at + 1], argv + at + 1);
  std::perror(argv[at + 1]);
  return 126;
}
