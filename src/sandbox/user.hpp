// A user that owns nothing, as whom root holds what it does not trust: what a layer of the sandbox
// failed to hide is then still not its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "sandbox/file_view.hpp"

namespace kbench {

// Returns one of the ids that a namespace has (the text of /proc/self/uid_map, user_namespaces(7)):
// one that no system gives away, else the highest; nothing where it has root alone.
std::optional<uid_t> spare_id(std::string_view map);

// User and group of that id; nothing unless this process is root and may become it.
const std::optional<uid_t>& spare_user();

// Whether anybody may read what is readable in it. At level A, which mounts each path on its own,
// the folders above do not matter; else anybody must be able to get to all of it.
bool is_public(const FileView& files, bool with_folders_above);

// Gives a folder and what is in it to that user. Throws std::filesystem::filesystem_error.
void give_away(const std::filesystem::path& folder, uid_t user);

// From now on the calling process is this user and group, in no others. Async-signal-safe; false
// leaves errno.
bool become_user(uid_t id);

}  // namespace kbench
