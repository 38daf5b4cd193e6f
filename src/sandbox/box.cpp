#include "sandbox/box.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "sandbox/enter.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t device_attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
constexpr std::uint64_t write_attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t read_attributes = write_attributes | MOUNT_ATTR_RDONLY;

void add_folders(const fs::path& path, Box& box) {
  fs::path done;
  for (const fs::path& part : path) box.folders.push_back((done /= part).string());
}

// Adds the symbolic links on the way to `path`, and returns the path without links behind them.
fs::path follow(const fs::path& path, Box& box) {
  fs::path rest = fs::absolute(path).lexically_normal();
  for (int links = 0; links < 40; ++links) {
    fs::path done = "/";
    fs::path next;
    for (const fs::path& part : rest.relative_path()) {
      done /= part;
      std::error_code none;
      if (!next.empty()) {
        next /= part;
      } else if (fs::is_symlink(fs::symlink_status(done, none))) {
        const fs::path says = fs::read_symlink(done);
        add_folders(done.parent_path().relative_path(), box);
        box.links.emplace_back(done.relative_path().string(), says.string());
        next = done.parent_path() / says;  // an absolute target replaces all
      }
    }
    if (next.empty()) return rest;
    rest = next.lexically_normal();
  }
  return rest;
}

void add_mount(const fs::path& path, std::uint64_t attributes, Box& box) {
  std::error_code gone;
  const fs::path source = follow(path, box);
  const fs::file_status status = fs::status(source, gone);
  if (!fs::exists(status)) return;
  std::string source_name = source.string();
  if (source_name.size() > 1 && source_name.back() == '/') source_name.pop_back();
  const fs::path target = fs::path(source_name).relative_path();
  if (fs::is_directory(status)) {
    add_folders(target, box);
  } else {
    add_folders(target.parent_path(), box);
    box.files.push_back(target.string());
  }
  box.mounts.push_back({source_name, target.string(), attributes, -1});
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

// Sorts mounts, outer ones first, and drops those that an outer one with the same attributes shows.
void settle_mounts(std::vector<Box::Mount>& mounts) {
  std::stable_sort(mounts.begin(), mounts.end(),
                   [](const auto& a, const auto& b) { return a.target < b.target; });
  std::vector<Box::Mount> kept;
  for (Box::Mount& mount : mounts) {
    const bool shown = std::any_of(kept.begin(), kept.end(), [&](const Box::Mount& outer) {
      return outer.attributes == mount.attributes &&
             (outer.target == mount.target || is_below(mount.target, outer.target));
    });
    if (!shown) kept.push_back(std::move(mount));
  }
  mounts = std::move(kept);
}

// ---- in the fork ----

const char* make_namespaces(const Box& box, const std::function<void()>& ask_for_maps) {
  constexpr int all =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  if (::unshare(all) != 0) return "namespaces";
  if (box.user) {
    ask_for_maps();
    return nullptr;
  }
  // A user may map its group only when it gives up setgroups(2).
  if (!write_text("/proc/self/setgroups", "deny")) return "setgroups";
  if (!write_text("/proc/self/uid_map", box.user_map)) return "the map of users";
  if (!write_text("/proc/self/gid_map", box.group_map)) return "the map of groups";
  return nullptr;
}

// Copies of the mounts, attached to nothing: the new root may hide where they come from.
const char* take_mounts(Box& box) {
  for (Box::Mount& mount : box.mounts) {
    mount.tree = static_cast<int>(
        ::syscall(SYS_open_tree, AT_FDCWD, mount.source.c_str(),
                  OPEN_TREE_CLONE | AT_RECURSIVE | static_cast<unsigned>(OPEN_TREE_CLOEXEC)));
    if (mount.tree < 0) return mount.source.c_str();
    mount_attr attributes{};
    attributes.attr_set = mount.attributes;
    if (::syscall(SYS_mount_setattr, mount.tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                  sizeof attributes) != 0) {
      return mount.source.c_str();
    }
  }
  return nullptr;
}

bool is_there() { return errno == EEXIST; }

// The next three are called in the new root.
const char* make_places(const Box& box) {
  for (const std::string& folder : box.folders) {
    if (::mkdir(folder.c_str(), 0755) != 0 && !is_there()) return folder.c_str();
  }
  for (const auto& [place, says] : box.links) {
    if (::symlink(says.c_str(), place.c_str()) != 0 && !is_there()) return place.c_str();
  }
  for (const std::string& file : box.files) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return file.c_str();
    ::close(fd);
  }
  return nullptr;
}

const char* attach_mounts(const Box& box) {
  for (const Box::Mount& mount : box.mounts) {
    if (::syscall(SYS_move_mount, mount.tree, "", AT_FDCWD, mount.target.c_str(),
                  MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return mount.target.c_str();
    }
    ::close(mount.tree);
  }
  return nullptr;
}

const char* make_private_folder(const Box& box) {
  if (box.private_folder.empty()) return nullptr;
  const bool made = ::mount("tmpfs", box.private_folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
                            box.private_options.c_str()) == 0;
  return made ? nullptr : "the private folder";
}

const char* enter_root(const Box& box) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private mounts";
  const char* const place = box.mount_point.c_str();
  if (::mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") != 0)
    return "the root's tmpfs";
  return ::chdir(place) == 0 ? nullptr : "the new root";
}

const char* leave_old_root() {
  // The old root ends up on top of the new one, and is taken off there: pivot_root(2).
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return "pivot_root";
  if (::umount2(".", MNT_DETACH) != 0) return "the old root";
  if (::chdir("/") != 0) return "the root";
  mount_attr attributes{};
  attributes.attr_set = read_attributes;
  const bool done =
      ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes) == 0;
  return done ? nullptr : "a root that is only read";
}

}  // namespace

Box plan_box(const FileView& files, const fs::path& directory, std::optional<uid_t> user) {
  Box box;
  box.user = user;
  box.mount_point = directory.empty() ? "/dev" : directory.string();
  for (const fs::path& path : files.readable) add_mount(path, read_attributes, box);
  for (const fs::path& path : files.writable) add_mount(path, write_attributes, box);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"})
    add_mount(device, device_attributes, box);
  for (const fs::path& device : files.devices) add_mount(device, device_attributes, box);
  if (files.private_bytes > 0) {
    const fs::path place = follow(directory, box).relative_path();
    add_folders(place, box);
    box.private_folder = place.string();
    box.private_options = fmt::format("size={},nr_inodes=4096,mode=700,uid={},gid={}",
                                      files.private_bytes, nobody, nobody);
  }
  if (!files.own_program.empty()) {
    add_folders("proc/self", box);
    box.links.emplace_back("proc/self/exe", files.own_program.string());
  }
  settle_mounts(box.mounts);
  box.user_map = fmt::format("{} {} 1\n", nobody, user.value_or(::geteuid()));
  box.group_map = fmt::format("{} {} 1\n", nobody, user.value_or(::getegid()));
  if (user) {
    box.user_map += "0 0 1\n";
    box.group_map += "0 0 1\n";
  }
  return box;
}

const char* move_into(Box& box, const std::function<void()>& ask_for_maps) {
  const char* failed = make_namespaces(box, ask_for_maps);
  if (failed == nullptr) failed = take_mounts(box);
  if (failed == nullptr) failed = enter_root(box);
  if (failed == nullptr) failed = make_places(box);
  if (failed == nullptr) failed = attach_mounts(box);
  if (failed == nullptr) failed = make_private_folder(box);
  return failed != nullptr ? failed : leave_old_root();
}

bool write_maps(const Box& box, pid_t process) {
  const std::string folder = fmt::format("/proc/{}/", process);
  return write_text((folder + "uid_map").c_str(), box.user_map) &&
         write_text((folder + "gid_map").c_str(), box.group_map);
}

const char* drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0 ? nullptr : "capabilities";
}

}  // namespace kbench
