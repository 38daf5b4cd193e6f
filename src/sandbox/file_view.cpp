#include "sandbox/file_view.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Folders of libraries that the machine's owner has added: /etc/ld.so.conf.d.
void add_configured(std::vector<fs::path>& out) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", gone)) {
    const auto text = read_file_if_there(entry.path());
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const std::string_view folder = trim(line);
      if (folder.starts_with('/')) out.emplace_back(folder);
    }
  }
}

}  // namespace

// Folders are read once: a contest starts dozens of processes that see them.
std::vector<fs::path> system_libraries() {
  static const std::vector<fs::path> all = [] {
    std::vector<fs::path> out = {"/lib",          "/lib64",         "/usr/lib",
                                 "/usr/lib64",    "/usr/local/lib", "/etc/ld.so.cache",
                                 "/etc/localtime"};
    add_configured(out);
    return out;
  }();
  return all;
}

std::vector<fs::path> system_programs() {
  std::vector<fs::path> out = system_libraries();
  out.insert(out.end(), {"/usr", "/bin", "/sbin", "/etc/alternatives"});
  return out;
}

std::vector<fs::path> machine_files() { return {"/proc/cpuinfo", "/sys/devices/system/cpu"}; }

namespace {

// Attributes as in linux/landlock.h since 6.12; the header here may be older than the kernel.
struct Attributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
constexpr std::uint64_t right_truncate = 1 << 14;      // version 3
constexpr std::uint64_t right_ioctl_device = 1 << 15;  // version 5
constexpr std::uint64_t all_network = 3;               // bind and connect, version 4
constexpr std::uint64_t all_scopes = 3;                // abstract sockets and signals, version 6

constexpr std::uint64_t file_rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t folder_rights = file_rights | LANDLOCK_ACCESS_FS_READ_DIR;

std::uint64_t handled(int version) {
  std::uint64_t rights = (std::uint64_t{LANDLOCK_ACCESS_FS_MAKE_SYM} << 1) - 1;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= right_truncate;
  if (version >= 5) rights |= right_ioctl_device;
  return rights;
}

std::uint64_t write_folder(int version, bool pipes) {
  const std::uint64_t rights =
      folder_rights | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
      LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | right_truncate;
  return (pipes ? rights | LANDLOCK_ACCESS_FS_MAKE_FIFO : rights) & handled(version);
}

bool allow_below(int rules, const char* path, std::uint64_t rights) {
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return false;
  const landlock_path_beneath_attr rule{rights, fd};
  const bool added =
      ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  return added;
}

void require(bool done, const std::string& what) {
  if (!done) throw std::system_error(errno, std::generic_category(), "Landlock: " + what);
}

}  // namespace

int landlock_version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

namespace {

void allow_devices(int rules, const FileView& files, int version) {
  constexpr std::uint64_t use = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  const std::uint64_t control = version >= 5 ? right_ioctl_device : 0;
  for (const auto& device : files.devices) {
    struct stat found {};
    if (::stat(device.c_str(), &found) == 0)
      require(allow_below(rules, device.c_str(), use | control), device.string());
  }
  for (const char* device : {"/dev/zero", "/dev/urandom"})
    require(allow_below(rules, device, LANDLOCK_ACCESS_FS_READ_FILE), device);
  require(allow_below(rules, "/dev/null", use), "/dev/null");
}

}  // namespace

Fd make_landlock_rules(const FileView& files, bool pipes) {
  const int version = landlock_version();
  const Attributes attributes{handled(version), version >= 4 ? all_network : 0,
                              version >= landlock_with_signals ? all_scopes : 0};
  // An older kernel takes the shorter struct; in a newer one zeros ask for nothing.
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  require(rules.get() >= 0, "no rules can be made");
  for (const auto& path : files.readable) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) continue;
    const std::uint64_t rights = S_ISDIR(found.st_mode) ? folder_rights : file_rights;
    require(allow_below(rules.get(), path.c_str(), rights), path.string());
  }
  for (const auto& path : files.writable)
    require(allow_below(rules.get(), path.c_str(), write_folder(version, pipes)), path.string());
  allow_devices(rules.get(), files, version);
  return rules;
}

bool allow_folder(int rules, const char* path, bool pipes) {
  return allow_below(rules, path, write_folder(landlock_version(), pipes));
}

bool obey(int rules) { return ::syscall(SYS_landlock_restrict_self, rules, 0) == 0; }

}  // namespace kbench
