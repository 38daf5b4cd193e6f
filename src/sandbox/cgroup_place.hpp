// Where this process may make groups of processes (cgroups), read from what the kernel says of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace kbench
