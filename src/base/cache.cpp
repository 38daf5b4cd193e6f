#include "base/cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "base/confined.hpp"
#include "base/digest.hpp"
#include "base/system.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digest_digits = 64;
constexpr std::uint64_t least_space = std::uint64_t{64} << 20;

// The end of an entry's file: body, text, this.
struct Trailer {
  std::array<char, 8> magic{'k', 'b', 'c', 'a', 'c', 'h', 'e', '1'};
  std::uint64_t body_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::array<char, digest_digits> digest{};  // digest of the key, the body, the text and the sizes
};

bool is_key(std::string_view name) {
  return name.size() == digest_digits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::array<char, digest_digits> entry_digest(const std::string& key, const Trailer& trailer,
                                             std::string_view body, std::string_view text) {
  const std::string sizes =
      std::to_string(trailer.body_bytes) + " " + std::to_string(trailer.text_bytes);
  const std::string hex = sha256_hex(key + sizes + content_digest(body) + content_digest(text));
  std::array<char, digest_digits> out{};
  std::copy(hex.begin(), hex.end(), out.begin());
  return out;
}

// Stamps a use with the clock's full resolution; the kernel's own stamps are ticks apart.
void touch(int fd) {
  std::array<timespec, 2> times{};
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[1] = times[0];
  ::futimens(fd, times.data());  // a cache that cannot be written is read nevertheless
}

struct Listed {
  fs::path path;
  std::uint64_t bytes = 0;
  timespec used{};
};

bool is_older(const Listed& a, const Listed& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

CacheUse::Time time_of(const timespec& time) {
  return CacheUse::Time(std::chrono::duration_cast<CacheUse::Time::duration>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)));
}

// The entries, in no order; what is no entry goes to `others`. A folder that is not there has none.
std::vector<Listed> entries_of(const fs::path& folder, std::vector<fs::path>* others = nullptr) {
  std::vector<Listed> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;  // evicted meanwhile
    if (is_key(path.filename().string()) && S_ISREG(status.st_mode)) {
      entries.push_back({path, static_cast<std::uint64_t>(status.st_size), status.st_mtim});
    } else if (others != nullptr && path.filename() != folder_lock_name) {
      others->push_back(path);
    }
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw std::system_error(error, folder.string());
  return entries;
}

// Removes files and folders that are no entries; whoever still works with one holds its lock.
void remove_left(const std::vector<fs::path>& others) {
  for (const fs::path& path : others) remove_if_abandoned(path);
}

std::optional<CacheEntry> read_entry(Fd fd, const std::string& key) {
  CacheEntry entry;
  entry.file = SharedMemory::map_read_only(std::move(fd));
  Trailer trailer;
  if (entry.file.size() < sizeof trailer) return std::nullopt;
  const std::size_t content = entry.file.size() - sizeof trailer;
  std::memcpy(&trailer, entry.file.data() + content, sizeof trailer);
  const bool fits = trailer.magic == Trailer().magic && trailer.body_bytes <= content &&
                    trailer.text_bytes == content - trailer.body_bytes;
  if (!fits) return std::nullopt;
  entry.body_bytes = trailer.body_bytes;
  entry.text.assign(reinterpret_cast<const char*>(entry.file.data()) + trailer.body_bytes,
                    trailer.text_bytes);
  if (trailer.digest != entry_digest(key, trailer, entry.body(), entry.text)) return std::nullopt;
  return entry;
}

}  // namespace

Cache::Cache(fs::path folder, CacheLimits limits, fs::path shared)
    : folder_(std::move(folder)), shared_(std::move(shared)), limits_(limits) {
  if (!shared_.empty()) confine(shared_);  // others write there
}

std::optional<CacheEntry> Cache::find(const std::string& key) const try {
  const fs::path path = folder_ / key;
  Fd fd = try_open_confined(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return find_shared(key);
  auto entry = read_entry(std::move(fd), key);
  if (entry) {
    touch(entry->file.fd());
  } else {
    ::unlink(path.c_str());
  }
  return entry;
} catch (const std::exception& error) {
  note(error.what());
  return std::nullopt;
}

// Keeps a broken entry: those of the shared folder are somebody else's.
std::optional<CacheEntry> Cache::find_shared(const std::string& key) const {
  if (shared_.empty()) return std::nullopt;
  Fd fd = try_open_confined(shared_ / key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return std::nullopt;
  auto entry = read_entry(std::move(fd), key);
  if (!entry) {
    note((shared_ / key).string() + ": is not as it was written, and is not used");
    return std::nullopt;
  }
  write(folder_, key, entry->text, entry->body());
  account(entry->file.size());
  Fd own = try_open_confined(folder_ / key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return own ? read_entry(std::move(own), key) : std::nullopt;
}

void Cache::insert(const std::string& key, std::string_view text, std::string_view body) try {
  const std::uint64_t bytes = body.size() + text.size() + sizeof(Trailer);
  if (bytes > limits_.entry_bytes || bytes > limits_.bytes) return;
  write(folder_, key, text, body);
  account(bytes);
  if (!shared_.empty() && bytes <= limits_.shared_entry_bytes) write(shared_, key, text, body);
} catch (const std::exception& error) {
  note(error.what());
}

void Cache::write(const fs::path& folder, const std::string& key, std::string_view text,
                  std::string_view body) const {
  create_confined_folders(folder);
  Trailer trailer;
  trailer.body_bytes = body.size();
  trailer.text_bytes = text.size();
  trailer.digest = entry_digest(key, trailer, body, text);
  TemporaryFile file(folder);
  file.append(body);
  file.append(text);
  file.append({reinterpret_cast<const char*>(&trailer), sizeof trailer});
  const fs::path path = folder / key;
  if (fs::is_directory(fs::symlink_status(path))) fs::remove_all(path);  // nobody's entry
  touch(file.fd());
  file.keep_as(path);
}

// Looking over a large folder costs more than an entry: it is done for the first one, and when a
// sixteenth of the limit has come in since.
void Cache::account(std::uint64_t bytes) const {
  {
    const std::lock_guard guard(mutex_);
    if (unseen_) *unseen_ += bytes;
    if (unseen_ && *unseen_ <= limits_.bytes / 16) return;
    unseen_ = 0;
  }
  evict();
}

void Cache::evict() const {
  const FolderLock lock(folder_, LOCK_EX);
  std::vector<fs::path> others;
  std::vector<Listed> entries = entries_of(folder_, &others);
  remove_left(others);
  std::uint64_t bytes = 0;
  for (const Listed& entry : entries) bytes += entry.bytes;
  if (bytes <= limits_.bytes) return;
  std::sort(entries.begin(), entries.end(), is_older);
  for (const Listed& entry : entries) {
    if (bytes <= limits_.bytes) return;
    ::unlink(entry.path.c_str());
    bytes -= entry.bytes;
  }
}

Fd Cache::lock(const std::string& key) const try {
  fs::create_directories(folder_);
  const fs::path name = folder_ / (key + ".lock");
  Fd fd = open_confined(name, O_RDWR | O_CREAT);
  if (::flock(fd.get(), LOCK_EX) != 0) fail_by_errno(name);
  return fd;
} catch (const std::exception& error) {
  note(error.what());
  return Fd();
}

bool Cache::usable() const try {
  fs::create_directories(folder_);
  const FolderLock lock(folder_, LOCK_SH);
  if (fs::space(folder_).available >= least_space) return true;
  note(folder_.string() + ": no space left");
  return false;
} catch (const std::exception& error) {
  note(error.what());
  return false;
}

WorkFolder Cache::work_folder() const {
  fs::create_directories(folder_);
  return {folder_, temporary_prefix};
}

void Cache::clear_up() const try {
  if (!fs::exists(folder_)) return;
  const FolderLock lock(folder_, LOCK_EX);
  remove_abandoned(folder_, temporary_prefix);
} catch (const std::exception& error) {
  note(error.what());
}

CacheUse Cache::use() const {
  CacheUse use;
  for (const Listed& entry : entries_of(folder_)) {
    const CacheUse::Time used = time_of(entry.used);
    ++use.entries;
    use.bytes += entry.bytes;
    use.oldest = std::min(use.oldest.value_or(used), used);
    use.newest = std::max(use.newest.value_or(used), used);
  }
  return use;
}

void Cache::clear() {
  if (!fs::exists(folder_)) return;
  const FolderLock lock(folder_, LOCK_EX);
  std::vector<fs::path> others;
  for (const Listed& entry : entries_of(folder_, &others))
    if (::unlink(entry.path.c_str()) != 0 && errno != ENOENT) fail_by_errno(entry.path);
  remove_left(others);
}

std::string Cache::problem() const {
  const std::lock_guard guard(mutex_);
  return problem_;
}

void Cache::note(std::string problem) const {
  const std::lock_guard guard(mutex_);
  if (problem_.empty()) problem_ = std::move(problem);
}

namespace {

fs::path named_root() {
  if (const std::string own = variable("KBENCH_CACHE"); !own.empty()) return fs::absolute(own);
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty())
    return fs::absolute(fs::path(xdg) / "kbench");
  const std::string home = variable("HOME");
  return home.empty() ? temporary_folder() / "kbench-cache"
                      : fs::absolute(fs::path(home) / ".cache" / "kbench");
}

}  // namespace

fs::path cache_root() {
  fs::path root = named_root();
  confine(root);
  return root;
}

}  // namespace kbench
