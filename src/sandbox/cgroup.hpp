// Groups of processes (cgroups) for what kbench does not trust: what all of a group use together is
// limited, root's too, and a group is ended as one.
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

// From the texts of /proc/self/cgroup and /proc/self/mountinfo: cgroups(7), proc(5).
CgroupPlaces cgroup_places(std::string_view cgroup, std::string_view mountinfo);

struct CgroupPlace {
  int version = 2;
  std::vector<std::filesystem::path> folders;  // in which a group is a folder each
};

// The first place that has both controllers, memory and pids, for groups made in it and that this
// user may write to. In version 2 these are none where processes are (the kernel's rule), so most
// often it is a group above.
std::optional<CgroupPlace> usable_place(const CgroupPlaces& places);

// 0 means no limit.
struct CgroupLimits {
  std::uint64_t memory_bytes = 0;  // all memory, shared and of files in memory too; no swap
  std::uint64_t tasks = 0;         // processes and threads

  bool operator==(const CgroupLimits&) const = default;
};

class Cgroup {
 public:
  // A fresh one in `place`. Throws std::system_error.
  explicit Cgroup(const CgroupPlace& place);
  // Ends what is left in it and removes it.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  void limit(const CgroupLimits& limits);  // throws std::system_error
  // A fork in the group, in which `child` runs, which does not return; -1 and errno on failure.
  pid_t fork(const std::function<void()>& child);
  // How often the kernel ended a process of it for want of memory.
  std::uint64_t memory_kills() const;
  // All processes in it but this one, until there are none.
  void end_processes() const;

 private:
  class Launcher;
  int version_;
  pid_t owner_;  // a fork of it has a copy of this object, and no say
  std::vector<std::filesystem::path> folders_;  // that of memory first
  std::vector<Fd> locks_;                       // who holds none has left it
  CgroupLimits limits_;
  std::unique_ptr<Launcher> launcher_;  // version 1
  pid_t remover_ = -1;                  // removes it when this process is killed

  void make(const CgroupPlace& place);
  void start_remover();
  void remove();
};

// Where groups are made here; nullptr and `why_no_cgroups` where they cannot be. Tried once.
const CgroupPlace* cgroups_here();
const std::string& why_no_cgroups();

// A group that nobody else uses now, with these limits: one that was used before, or a new one.
// What is in it is ended when the last copy goes. nullptr where there are none here. Throws
// std::system_error.
std::shared_ptr<Cgroup> take_cgroup(const CgroupLimits& limits);

// Groups that judges which were killed have left in `place`.
void remove_abandoned_cgroups(const CgroupPlace& place);

}  // namespace kbench
