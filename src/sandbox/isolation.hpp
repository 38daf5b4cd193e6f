// Levels of isolation of a process that kbench does not trust. The levels that a machine and a user
// can have are tried, not guessed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

enum class Isolation {
  namespaces,  // "A": a root, processes, a network of its own; and all of B
  landlock,    // "B": files not named cannot be opened (Landlock), nobody reached (seccomp)
  limits,      // "C": resource limits and no processes; it can open the user's files
};

std::string_view letter(Isolation level);                        // "A", "B", "C"
std::optional<Isolation> isolation_of(std::string_view letter);  // the other way
bool is_at_least(Isolation level, Isolation wanted);

// Reason that this machine and user cannot have a level: "mounts: Operation not permitted"; "" when
// they can. A process is held so, once a run of the program, and ends again.
const std::string& missing_for(Isolation level);

Isolation best_isolation();

// Settings (sysctl) of this kernel that would let users have namespaces, as "name=value": those
// that forbid it now. `sysctls` is where the kernel shows them.
std::vector<std::string> settings_for_namespaces(
    const std::filesystem::path& sysctls = "/proc/sys");

}  // namespace kbench
