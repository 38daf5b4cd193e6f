#include "tune/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/cache.hpp"
#include "base/confined.hpp"
#include "base/digest.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"
#include "tune/key.hpp"

namespace kbench {
namespace {

std::string entry_digest(TunedEntry entry) {
  entry.digest.clear();
  return sha256_hex(to_json(entry, Dump::full));
}

}  // namespace

TunedEntry sealed(TunedEntry entry) {
  entry.key = short_key(entry.parts);
  entry.digest = entry_digest(entry);
  return entry;
}

std::string entry_text(const TunedEntry& entry) { return to_json(entry, Dump::full, 1) + "\n"; }

std::string flaw_of(const TunedEntry& entry) {
  const std::string key = short_key(entry.parts);
  if (entry.key != key)
    return fmt::format("its key is {}, and that of its parts {}", entry.key, key);
  return entry.digest == entry_digest(entry) ? "" : "it is not as it was written: another digest";
}

std::string EntryFlaw::text() const {
  return line == 0 ? message : fmt::format("line {}: {}", line, message);
}

std::optional<TunedEntry> read_entry(const Source& source, EntryFlaw& flaw) {
  Diagnostics problems;
  ReadOptions options;
  options.strict = true;  // digests are of what is read, so nothing may be passed over
  const auto entry = read_text<TunedEntry>(source, options, problems);
  flaw = {0, entry ? flaw_of(*entry) : ""};
  for (const Diagnostic& one : problems.items()) {
    if (one.level == Level::error && flaw.message.empty()) flaw = {one.where.line, one.message};
  }
  if (!entry && flaw.message.empty()) flaw.message = "it is no entry";
  return flaw.message.empty() ? entry : std::nullopt;
}

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_entry = std::uintmax_t{64} << 20;
constexpr std::size_t longest_file_name = 120;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_absent(const std::system_error& error) {
  return error.code() == std::errc::no_such_file_or_directory;
}

// Removes files that processes left which were killed while they wrote.
void remove_left(const fs::path& folder) {
  const FolderLock lock(folder, LOCK_EX);
  std::error_code ignored;
  for (const auto& one : fs::directory_iterator(folder, ignored)) {
    if (one.path().filename().string().starts_with(temporary_prefix))
      remove_if_abandoned(one.path());
  }
}

}  // namespace

fs::path tuned_root() { return cache_root() / "tuned" / "v1"; }

std::string file_name_of(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool hides = c == '.' && out.empty();
    out += is_plain(c) && !hides ? std::string(1, c)
                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (out.empty()) return "%";
  if (out.size() <= longest_file_name) return out;
  return out.substr(0, longest_file_name - 17) + "%" + sha256_hex(name).substr(0, 16);
}

TunedStore::TunedStore(fs::path root, Warn warn) : root_(std::move(root)), warn_(std::move(warn)) {
  confine(root_);
}

fs::path TunedStore::file_of(const TuningKey& key) const {
  return root_ / file_name_of(key.definition) / file_name_of(key.solution) /
         (short_key(key) + ".json");
}

std::string read_entry_file(const fs::path& file, const std::string& key, TunedEntry& entry) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return "it is a folder";
  if (const auto size = fs::file_size(file, ignored); !ignored && size > largest_entry)
    return fmt::format("it has {}: no entry is so large", human_bytes(static_cast<double>(size)));
  EntryFlaw flaw;
  auto read = read_entry({file.string(), read_file(file)}, flaw);
  if (!read) return flaw.text();
  if (read->key != key) return fmt::format("it is the entry {}", read->key);
  entry = *std::move(read);
  return "";
}

std::optional<TunedEntry> TunedStore::find(const TuningKey& key) const try {
  const fs::path file = file_of(key);
  TunedEntry entry;
  if (!fs::exists(fs::symlink_status(file))) return std::nullopt;
  if (read_entry_file(file, short_key(key), entry).empty()) return entry;
  quarantine(file, short_key(key));
  return std::nullopt;
} catch (const std::system_error& error) {
  if (!is_absent(error)) warn(fmt::format("cannot read what was tuned: {}", error.what()));
  return std::nullopt;
}

std::optional<TunedEntry> TunedStore::look(const TuningKey& key) const try {
  TunedEntry entry;
  const bool is_good = read_entry_file(file_of(key), short_key(key), entry).empty();
  return is_good ? std::optional(std::move(entry)) : std::nullopt;
} catch (const std::system_error&) {
  return std::nullopt;
}

// Writers of an entry there wait meanwhile, so that no good one is taken away.
void TunedStore::quarantine(const fs::path& file, const std::string& key) const {
  const FolderLock lock(file.parent_path(), LOCK_EX);
  TunedEntry ignored;
  const std::string why = read_entry_file(file, key, ignored);
  if (why.empty()) return;
  fs::rename(file, file.string() + ".corrupt");
  warn(fmt::format("{}: damaged, and renamed to {}.corrupt: {}", file.string(),
                   file.filename().string(), why));
}

// Tells whether there is an entry of a search that came to its end.
bool TunedStore::has_whole(const fs::path& file, const std::string& key) const {
  TunedEntry there;
  return fs::exists(fs::symlink_status(file)) && read_entry_file(file, key, there).empty() &&
         !there.cut_short;
}

bool TunedStore::put(TunedEntry entry) const {
  entry = sealed(std::move(entry));
  const fs::path file = file_of(entry.parts);
  const fs::path folder = file.parent_path();
  create_confined_folders(folder);
  TemporaryFile written(folder);
  written.append(entry_text(entry));
  // Locks keep others from putting a whole one there between the look and the renaming.
  const FolderLock lock(folder, entry.cut_short ? LOCK_EX : LOCK_SH);
  if (entry.cut_short && has_whole(file, entry.key)) return false;
  written.keep_for_good(file);
  return true;
}

Fd TunedStore::lock(const TuningKey& key, const std::function<void()>& waits) const {
  const fs::path file = file_of(key);
  create_confined_folders(file.parent_path());
  remove_left(file.parent_path());
  const fs::path name = fs::path(file).replace_extension(".lock");
  Fd fd = open_confined(name, O_RDWR | O_CREAT);
  const auto fail = [&] { fail_by_errno(name); };
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) fail();
  if (waits) waits();
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail();
  }
  return fd;
}

void TunedStore::warn(const std::string& message) const {
  if (warn_) warn_(message);
}

namespace {

namespace fs = std::filesystem;

// Says where it has to lie to be found: folders have the names of its Definition and Solution.
std::string misplaced(const fs::path& root, const fs::path& file, const TunedEntry& entry) {
  const fs::path right = TunedStore(root).file_of(entry.parts);
  return file == right ? "" : "it belongs to " + right.lexically_relative(root).string();
}

void add(const fs::path& root, const fs::path& file, StoreListing& out) try {
  StoredEntry stored{file, {}};
  std::string why = read_entry_file(file, file.stem().string(), stored.entry);
  if (why.empty()) why = misplaced(root, file, stored.entry);
  if (why.empty()) {
    out.entries.push_back(std::move(stored));
  } else {
    out.damaged.push_back({file, why});
  }
} catch (const std::system_error& error) {
  if (error.code() != std::errc::no_such_file_or_directory)  // file may have been removed meanwhile
    out.damaged.push_back({file, error.code().message()});
}

// Tells whether the folder is there. Throws where a file stands in its way.
bool has_folder(const fs::path& folder) {
  fs::path there = folder;
  while (!fs::exists(there) && there.has_relative_path()) there = there.parent_path();
  if (fs::exists(there) && !fs::is_directory(there))
    throw std::system_error(std::make_error_code(std::errc::not_a_directory), there.string());
  return there == folder;
}

auto order(const StoredEntry& stored) {
  const TunedEntry& entry = stored.entry;
  return std::tie(entry.parts.definition, entry.parts.solution, entry.date, entry.key);
}

}  // namespace

StoreListing list_store(const fs::path& root) {
  StoreListing out;
  if (!has_folder(root)) return out;
  check_confined(root);
  for (const auto& one : fs::recursive_directory_iterator(root)) {
    const fs::path& file = one.path();
    if (file.extension() == ".json") add(root, file, out);
    if (file.extension() == ".corrupt") out.quarantined.push_back(file);
  }
  std::sort(out.entries.begin(), out.entries.end(),
            [](const StoredEntry& a, const StoredEntry& b) { return order(a) < order(b); });
  std::sort(out.damaged.begin(), out.damaged.end(),
            [](const DamagedFile& a, const DamagedFile& b) { return a.file < b.file; });
  std::sort(out.quarantined.begin(), out.quarantined.end());
  return out;
}

void remove_from_store(const fs::path& file) {
  const FolderLock lock(file.parent_path(), LOCK_EX);
  fs::remove_all(file);
  remove_if_abandoned(fs::path(file).replace_extension(".lock"));
}

}  // namespace kbench
