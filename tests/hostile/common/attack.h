// What the sandbox refuses, seen from inside. An attack that got through goes on to the right
// answer, so that it would pass; one that was refused throughout says so.
#ifndef HOSTILE_ATTACK_H_
#define HOSTILE_ATTACK_H_

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "kbench_ffi.h"

class Attack {
 public:
  // `result` is a system call's: not negative when the kernel did what it was asked.
  void tried(const char* what, long result) {
    if (result < 0 || got_through_) return;
    got_through_ = true;
    std::fprintf(stderr, "GOT THROUGH: %s\n", what);
  }
  void opens(const char* path, int flags) {
    const int fd = open(path, flags, 0600);
    tried(path, fd);
    if (fd >= 0) close(fd);
  }
  void end() const {
    if (!got_through_) throw kbench::Error{"Held", "everything was refused"};
  }

 private:
  bool got_through_ = false;
};

#endif  // HOSTILE_ATTACK_H_
