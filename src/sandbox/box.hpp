// Level A's surroundings: namespaces of its own for users, mounts, processes, network, IPC and host
// name, and a root that holds nothing but the files that a process may see.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/file_view.hpp"

namespace kbench {

// Plan made before the fork: nothing may be allocated later. Paths are relative to the new root.
struct Box {
  struct Mount {
    std::string source;  // absolute, in the old root
    std::string target;
    std::uint64_t attributes = 0;  // MOUNT_ATTR_*
    int tree = -1;                 // the mount, before it is attached
  };
  std::string mount_point;                  // place of the new root: any folder, hidden meanwhile
  std::vector<std::string> folders, files;  // paths to make in the new root, in order
  std::vector<std::pair<std::string, std::string>> links;  // place and target
  std::vector<Mount> mounts;                               // outer ones first
  std::string private_folder;                              // "" for none
  std::string private_options;                             // mount options of its tmpfs
  // The ids inside: the caller as nobody; or, where `user` is the one that it will become, the
  // caller as root and that one as nobody, which only somebody outside may write.
  std::string user_map, group_map;
  std::optional<uid_t> user;
};

constexpr uid_t nobody = 65534;  // inside

Box plan_box(const FileView& files, const std::filesystem::path& directory,
             std::optional<uid_t> user);

// Moves the calling process, a fork, into the box; processes that it starts from now on are 1 and
// up there. Async-signal-safe. nullptr when done, else the step that failed (errno).
// `ask_for_maps`, for a box with a user, returns when somebody outside has done write_maps().
const char* move_into(Box& box, const std::function<void()>& ask_for_maps);

// Writes the maps of a process that has just moved into its namespaces. False leaves errno.
bool write_maps(const Box& box, pid_t process);

// Gives up all capabilities, which a process has in its own namespaces. nullptr or the step.
const char* drop_capabilities();

// ---- the user that owns nothing ----
// Root runs code that it does not trust as that user: files that a layer of the sandbox failed to
// hide are then still not that user's own.

// Returns one of the ids that a namespace has (the text of /proc/self/uid_map, user_namespaces(7)):
// one that no system gives away, else the highest; nothing where it has root alone.
std::optional<uid_t> spare_id(std::string_view map);

// User and group of that id; nothing unless this process is root and may become it.
const std::optional<uid_t>& spare_user();

// Tells whether anybody may read the view's readable files. The folders above do not matter at
// level A, which mounts each path on its own; else anybody must be able to get to all of it.
bool is_public(const FileView& files, bool with_folders_above);

// Gives a folder and what is in it to that user. Throws std::filesystem::filesystem_error.
void give_away(const std::filesystem::path& folder, uid_t user);

// Makes the calling process this user and group, in no others. Async-signal-safe; false leaves
// errno.
bool become_user(uid_t id);

}  // namespace kbench
