// Groups of processes (cgroups) for code that kbench does not trust: use by all of a group together
// is limited, root's too, and a group is ended as one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace kbench {

// Folders that are mounted to be written and lead to the group of this process.
struct CgroupPlaces {
  // Version 2: its own group and those above it, nearest first.
  std::vector<std::filesystem::path> unified;
  // Version 1: its own group in either hierarchy; "" for none.
  std::filesystem::path memory, pids;
};

// Reads the texts of /proc/self/cgroup and /proc/self/mountinfo: cgroups(7), proc(5).
CgroupPlaces cgroup_places(std::string_view cgroup, std::string_view mountinfo);

struct CgroupPlace {
  int version = 2;
  std::vector<std::filesystem::path> folders;  // each group is a folder in each of them
};

// Returns the first place that has both controllers, memory and pids, for groups made in it and
// that this user may write to. A group of version 2 with processes has none (the kernel's rule), so
// most often it is a group above.
std::optional<CgroupPlace> usable_place(const CgroupPlaces& places);

// Limits of a group; 0 means no limit.
struct CgroupLimits {
  std::uint64_t memory_bytes = 0;  // all memory, shared and of files in memory too; no swap
  std::uint64_t tasks = 0;         // processes and threads

  bool operator==(const CgroupLimits&) const = default;
};

class Cgroup {
 public:
  // Makes a fresh group in `place`. Throws std::system_error.
  explicit Cgroup(const CgroupPlace& place);
  // Ends the processes left in it and removes it.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  void limit(const CgroupLimits& limits);  // throws std::system_error
  // Makes a fork in the group that runs `child`, which does not return; -1 and errno on failure.
  pid_t fork(const std::function<void()>& child);
  // Number of its processes that the kernel ended for want of memory.
  std::uint64_t memory_kills() const;
  // Ends all processes in it but this one, until there are none.
  void end_processes() const;

 private:
  class Launcher;
  int version_;
  pid_t owner_;  // a fork of it has a copy of this object, and no say
  std::vector<std::filesystem::path> folders_;  // the memory controller's first
  std::vector<Fd> locks_;                       // a folder without a lock is abandoned
  CgroupLimits limits_;
  std::unique_ptr<Launcher> launcher_;  // version 1
  pid_t remover_ = -1;                  // removes it when this process is killed

  void make(const CgroupPlace& place);
  void start_remover();
  void remove();
};

// Place of groups on this machine; nullptr and `why_no_cgroups` where none can be. Tried once.
const CgroupPlace* cgroups_here();
const std::string& why_no_cgroups();

// Takes a group that nobody else uses now, with these limits: one that was used before, or a new
// one. Its processes are ended when the last copy goes. nullptr where there are no groups here.
// Throws std::system_error.
std::shared_ptr<Cgroup> take_cgroup(const CgroupLimits& limits);

// Removes groups that judges which were killed have left in `place`.
void remove_abandoned_cgroups(const CgroupPlace& place);

}  // namespace kbench
