// Level A's surroundings: namespaces of its own for users, mounts, processes, network, IPC and host
// name, and a root that holds nothing but what a process may see.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/file_view.hpp"

namespace kbench {

// Made before the fork: afterwards nothing may be allocated. Paths are relative to the new root.
struct Box {
  struct Mount {
    std::string source;  // absolute, in the old root
    std::string target;
    std::uint64_t attributes = 0;  // MOUNT_ATTR_*
    int tree = -1;                 // the mount, before it is attached
  };
  std::string mount_point;                  // of the new root: any folder, hidden meanwhile
  std::vector<std::string> folders, files;  // to make in the new root, in order
  std::vector<std::pair<std::string, std::string>> links;  // where, what it says
  std::vector<Mount> mounts;                               // outer ones first
  std::string private_folder;                              // "" for none
  std::string private_options;                             // of its tmpfs
  // The ids inside: the caller as nobody; or, where `user` is the one that it will become, the
  // caller as root and that one as nobody, which only somebody outside may write.
  std::string user_map, group_map;
  std::optional<uid_t> user;
};

constexpr uid_t nobody = 65534;  // inside

Box plan_box(const FileView& files, const std::filesystem::path& directory,
             std::optional<uid_t> user);

// In a fork: the calling process moves into the box; what it starts from now on is process 1 and
// up there. Async-signal-safe. nullptr when done, else the step that failed (errno). Where the box
// has a user, `ask_for_maps` returns when somebody outside has done write_maps().
const char* move_into(Box& box, const std::function<void()>& ask_for_maps);

// For a process that has just moved into its namespaces. False leaves errno.
bool write_maps(const Box& box, pid_t process);

// Gives up all capabilities, which a process has in its own namespaces. nullptr or the step.
const char* drop_capabilities();

}  // namespace kbench
