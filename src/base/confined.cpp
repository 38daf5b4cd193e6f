#include "base/confined.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct Root {
  fs::path named;  // absolute, as it was given
  fs::path real;
};

std::atomic<bool> is_anywhere_allowed{false};
std::mutex mutex;
std::vector<Root> roots;  // guarded by mutex

class Refusal : public std::error_category {
 public:
  const char* name() const noexcept override { return "kbench"; }
  std::string message(int why) const override {
    if (why == EBADFD) return "no regular file";
    return "a link leads out of the folder that it is in; --allow-outside follows it, where you "
           "trust who made it";
  }
};

std::error_code refusal(int why) {
  static const Refusal category;
  return {why, category};
}

fs::path plain(const fs::path& path) {
  fs::path out = fs::absolute(path).lexically_normal();
  return out.has_filename() ? out : out.parent_path();
}

// A snapshot of Hugging Face's cache has links to the files of its repository.
Root root_at(const fs::path& folder, std::error_code& error) {
  Root root{plain(folder), fs::weakly_canonical(plain(folder), error)};
  for (fs::path at = root.real; at.has_relative_path(); at = at.parent_path()) {
    const fs::path repository = at.parent_path().parent_path();
    if (at.parent_path().filename() == "snapshots" && fs::is_directory(repository / "blobs"))
      return {root.named, repository};
  }
  return root;
}

// The root that the file really has to be below; nothing where it may be anywhere.
std::optional<Root> root_of(const fs::path& path, bool may_lead_out = is_anywhere_allowed) {
  const std::lock_guard lock(mutex);
  if (may_lead_out || roots.empty()) return {};
  const fs::path file = plain(path);
  const auto found = std::find_if(roots.begin(), roots.end(),
                                  [&](const Root& root) { return is_below(file, root.named); });
  return found == roots.end() ? std::nullopt : std::optional(*found);
}

// Returns, in a folder that is no root, that folder: no link may lead farther, for whoever names a
// file of a checkout means that one. /dev/stdout and a shell's /dev/fd/3 are links, too.
std::optional<Root> root_of_named(const fs::path& path) {
  if (auto root = root_of(path); root || is_anywhere_allowed) return root;
  std::error_code error;
  if (!fs::is_symlink(path, error) || is_below(plain(path), "/dev") ||
      is_below(plain(path), "/proc"))
    return {};
  const Root folder = root_at(plain(path).parent_path(), error);
  return error ? std::nullopt : std::optional(folder);
}

// Opens nothing but its name: no pipe is waited for, and no device is woken.
Fd opened_name(const fs::path& path, int flags = 0) {
  return Fd(::open(path.c_str(), O_PATH | O_CLOEXEC | flags));
}

// The file behind a descriptor cannot be exchanged for something else after it was looked at.
fs::path name_of(const Fd& fd) { return fmt::format("/proc/self/fd/{}", fd.get()); }

bool is_within(const Fd& fd, const std::optional<Root>& root) {
  if (!root || is_below(fs::read_symlink(name_of(fd)), root->real)) return true;
  errno = EXDEV;
  return false;
}

// Pipes and devices that others put there would be waited for, or never end.
bool is_file_or_folder(const Fd& fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return false;
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode)) return true;
  errno = EBADFD;
  return false;
}

Fd open_or_make(const fs::path& path, int flags, unsigned mode, const std::optional<Root>& root) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Fd at = opened_name(folder, O_DIRECTORY);
  if (!at || !is_within(at, root)) return {};
  return Fd(::openat(at.get(), path.filename().c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
}

[[noreturn]] void fail_to_open(const fs::path& path) {
  const bool is_refused = errno == EXDEV || errno == EBADFD;
  const auto code = is_refused ? refusal(errno) : std::error_code(errno, std::generic_category());
  throw std::system_error(code, path.string());
}

}  // namespace

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

void confine(const fs::path& root) {
  std::error_code error;
  Root one = root_at(root, error);
  if (error) return;  // nobody can enter it
  const std::lock_guard lock(mutex);
  const auto is_same = [&](const Root& other) { return other.named == one.named; };
  if (std::none_of(roots.begin(), roots.end(), is_same)) roots.push_back(std::move(one));
}

void allow_files_outside() { is_anywhere_allowed = true; }
bool may_be_outside() { return is_anywhere_allowed; }

Fd try_open_confined(const fs::path& path, int flags, unsigned mode) {
  const bool makes = (flags & O_CREAT) != 0;
  const auto root = makes || path.is_absolute() ? root_of(path) : root_of_named(path);
  if (makes) return open_or_make(path, flags, mode, root);
  const bool is_kept = (flags & O_ACCMODE) == O_RDONLY && root_of(path, false);
  if (!root && !is_kept) return Fd(::open(path.c_str(), flags | O_CLOEXEC));
  const Fd name = opened_name(path, flags & O_NOFOLLOW);
  if (!name || !is_within(name, root) || (is_kept && !is_file_or_folder(name))) return {};
  return Fd(::open(name_of(name).c_str(), (flags & ~O_NOFOLLOW) | O_CLOEXEC));
}

Fd open_confined(const fs::path& path, int flags, unsigned mode) {
  Fd fd = try_open_confined(path, flags, mode);
  if (!fd) fail_to_open(path);
  return fd;
}

void check_confined(const fs::path& path) {
  const auto root = root_of_named(path);
  if (!root) return;
  fs::path there = plain(path);
  std::error_code ignored;
  while (fs::symlink_status(there, ignored).type() == fs::file_type::not_found) {
    if (there == root->named) return;  // it is still to be made
    there = there.parent_path();
  }
  const Fd name = opened_name(there);
  if (!name || !is_within(name, root)) fail_to_open(path);
}

void create_confined_folders(const fs::path& folder) {
  check_confined(folder);
  const auto root = root_of(folder);
  std::error_code failure;
  fs::create_directories(root ? root->named : folder, failure);
  if (failure) throw std::system_error(failure, folder.string());
  if (!root) return;
  // Nobody can put a link in the place of what was looked at, beneath what is open.
  constexpr int how = O_PATH | O_DIRECTORY | O_CLOEXEC;
  Fd at = opened_name(root->named, O_DIRECTORY);
  for (const fs::path& part : plain(folder).lexically_relative(root->named)) {
    Fd next(::openat(at.get(), part.c_str(), how));
    if (!next && errno == ENOENT &&
        (::mkdirat(at.get(), part.c_str(), 0777) == 0 || errno == EEXIST))
      next = Fd(::openat(at.get(), part.c_str(), how | O_NOFOLLOW));
    if (!next || !is_within(next, root)) fail_to_open(folder);
    at = std::move(next);
  }
}

}  // namespace kbench
