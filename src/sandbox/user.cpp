#include <grp.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sstream>
#include <string>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "sandbox/box.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// An id beyond those that systemd gives to containers, below its foreign ids.
constexpr std::uint64_t preferred = 1'879'100'000;

bool has_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> has{};
  if (::syscall(SYS_capget, &header, has.data()) != 0) return false;
  const auto held = [&has](unsigned which) {
    return (has[which / 32].effective >> (which % 32) & 1) != 0;
  };
  return held(CAP_CHOWN) && held(CAP_SETUID) && held(CAP_SETGID) && held(CAP_SETFCAP);
}

std::optional<uid_t> find_spare_user() {
  if (::geteuid() != 0 || !has_capabilities()) return std::nullopt;
  const auto user = spare_id(read_file_if_there("/proc/self/uid_map").value_or(""));
  const auto group = spare_id(read_file_if_there("/proc/self/gid_map").value_or(""));
  return user && group ? std::optional(std::min(*user, *group)) : std::nullopt;
}

bool all_may(const fs::path& path, mode_t what) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && (found.st_mode & what) == what;
}

bool is_reachable(const fs::path& path) {
  fs::path above = fs::absolute(path).lexically_normal();
  while (above.has_relative_path()) {
    above = above.parent_path();
    if (!all_may(above, S_IXOTH)) return false;
  }
  return true;
}

bool is_readable(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return true;  // it is left out
  return all_may(path, S_ISDIR(found.st_mode) ? S_IROTH | S_IXOTH : S_IROTH);
}

}  // namespace

std::optional<uid_t> spare_id(std::string_view map) {
  std::optional<uid_t> best;
  for (const std::string_view line : split(map, '\n')) {
    std::istringstream in{std::string(line)};
    std::uint64_t inside = 0, outside = 0, count = 0;
    if (!(in >> inside >> outside >> count) || count == 0) continue;
    const std::uint64_t last = std::min<std::uint64_t>(inside + count - 1, 0xfffffffe);
    const std::uint64_t id = inside <= preferred && preferred <= last ? preferred : last;
    if (id == preferred) return static_cast<uid_t>(preferred);
    if (id > 0 && (!best || id > *best)) best = static_cast<uid_t>(id);
  }
  return best;
}

const std::optional<uid_t>& spare_user() {
  static const std::optional<uid_t> user = find_spare_user();
  return user;
}

bool is_public(const FileView& files, bool with_folders_above) {
  if (!std::all_of(files.readable.begin(), files.readable.end(), is_readable)) return false;
  return !with_folders_above ||
         (std::all_of(files.readable.begin(), files.readable.end(), is_reachable) &&
          std::all_of(files.writable.begin(), files.writable.end(), is_reachable));
}

void give_away(const fs::path& folder, uid_t user) {
  const auto give = [user](const fs::path& path) {
    if (::lchown(path.c_str(), user, user) != 0)
      throw fs::filesystem_error("giving away", path, {errno, std::generic_category()});
  };
  give(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) give(entry.path());
}

bool become_user(uid_t id) {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, id, id, id) == 0 &&
         ::syscall(SYS_setresuid, id, id, id) == 0;
}

}  // namespace kbench
