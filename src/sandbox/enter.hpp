// What makes a fork a process that kbench does not trust, before it runs a program or goes on.
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

// Made before the fork: afterwards nothing may be allocated.
struct Confinement {
  pid_t parent = 0;            // ends with it
  std::vector<int> fds;        // become descriptors 3, 4, … in this order; all others are closed
  int output = -1;             // becomes stdout and stderr; -1: /dev/null
  std::string directory;       // "" for the current one
  bool pipes = false;          // named ones may be made in it
  std::string private_folder;  // at level A: is made in the box, and may be written to
  ProcessLimits limits;
  std::vector<int> cores;  // none: those of the parent
  bool fixed_addresses = false;
  SyscallFilter filter;
  std::optional<Box> box;     // at level A
  std::optional<uid_t> user;  // whom it becomes, inside the box if there is one
  Fd rules;                   // Landlock's, at the levels A and B
  Cgroup* group = nullptr;    // of the plan, which outlives the start
  bool keeps_capabilities = false;
  bool watch_group = false;  // it may have children, and no namespace ends them with the judge
};

// Throws std::system_error where its rules cannot be made.
Confinement confinement_of(const ProcessPlan& plan, pid_t parent);

// Whose child it becomes: the caller's, or the caller's own parent's, for whom it is started.
enum class Parent { caller, parent_of_caller };

struct Launched {
  Started started;
  int error = 0;     // errno; then `started` may still name processes, to be ended and reaped
  std::string step;  // that failed; "" for what `body` did
};

// Starts a process of its own group, with no signal handlers of the caller's, confined as said, in
// which `body` runs: it becomes another program, or calls close_report() and never returns. Where
// it returns it has failed, and errno says why.
Launched launch(Confinement& confinement, Parent parent, const std::function<void()>& body);

// The first descriptor that is passed. In a fork: `fds` take their places there, `output` those
// of stdout and stderr (-1: /dev/null), and all others are closed. False leaves errno.
constexpr int first_passed_fd = 3;
bool place_fds(std::vector<int>& fds, int output);

// In `body`: from here on it has started, and what becomes of it is its status.
void close_report(std::size_t passed_fds);

// The next two are for forks: they make async-signal-safe calls alone.
// Writes the text to a file that is there, with one call; false leaves errno.
bool write_text(const char* path, std::string_view text);

// Returns when the process has ended that `pidfd` stands for. From then on the caller is in a group
// of its own, ignores SIGINT and SIGTERM, and has no other descriptor open.
void outlive(int pidfd);

}  // namespace kbench
