#include "worker/programs.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "sandbox/filter.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {
namespace {

bool has_children() {
  pid_t ended = 0;
  do ended = ::waitpid(-1, nullptr, WNOHANG);
  while (ended > 0);
  return ended == 0;
}

}  // namespace

bool work_alone(const Control& control, bool has_devices) {
  return install(control.is_held != 0 ? only_itself(has_devices) : no_processes());
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_programs(Control& control, bool has_devices) {
  if (has_children()) {
    say(control, Answer::call_failed,
        "LEFT_PROCESS: a process that the first call had started still runs");
  } else if (!work_alone(control, has_devices)) {
    say(control, Answer::call_failed, "the kernel takes no filter of system calls");
  }
}

}  // namespace kbench::worker
