// Confinement of a fork that kbench does not trust, before it runs a program or goes on.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/box.hpp"
#include "sandbox/filter.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// Plan of a confinement, made before the fork: afterwards nothing may be allocated.
struct Confinement {
  pid_t parent = 0;            // it ends with this process
  std::vector<int> fds;        // become descriptors 3, 4, … in this order; all others are closed
  int output = -1;             // becomes stdout and stderr; -1: /dev/null
  std::string directory;       // "" for the current one
  bool pipes = false;          // named ones may be made in the folder
  std::string private_folder;  // a writable one, made in the box at level A
  ProcessLimits limits;
  std::vector<int> cores;  // none: those of the parent
  bool fixed_addresses = false;
  SyscallFilter filter;
  std::optional<Box> box;     // the box of level A
  std::optional<uid_t> user;  // the user that it becomes, inside the box if there is one
  Fd rules;                   // Landlock's, at the levels A and B
  Cgroup* group = nullptr;    // the plan's, which outlives the start
  bool keeps_capabilities = false;
  bool watch_group = false;  // it may have children, and no namespace ends them with the judge
};

// Throws std::system_error where its rules cannot be made.
Confinement confinement_of(const ProcessPlan& plan, pid_t parent);

// Parent of the new process: the caller, or the caller's own parent, for whom it is started.
enum class Parent { caller, parent_of_caller };

struct Launched {
  Started started;
  int error = 0;     // errno; then `started` may still name processes, to be ended and reaped
  std::string step;  // step that failed; "": `body` did
};

// Starts a process of its own group, with no signal handlers of the caller's, confined as said, in
// which `body` runs: it becomes another program, or calls close_report() and never returns. A
// `body` that returns has failed, and errno says why.
Launched launch(Confinement& confinement, Parent parent, const std::function<void()>& body);

// The first descriptor that is passed. Forks call place_fds(): `fds` take their places there,
// `output` stdout's and stderr's (-1: /dev/null), and all others are closed. False leaves errno.
constexpr int first_passed_fd = 3;
bool place_fds(std::vector<int>& fds, int output);

// Called by `body`: the process has started, and its end is its status from here on.
void close_report(std::size_t passed_fds);

// The next two are for forks: they make async-signal-safe calls alone.
// Writes the text to a file that is there, with one call; false leaves errno.
bool write_text(const char* path, std::string_view text);

// Returns when the process has ended that `pidfd` stands for. The caller is in a group of its own
// from the call on, ignores SIGINT and SIGTERM, and has no other descriptor open.
void outlive(int pidfd);

}  // namespace kbench
