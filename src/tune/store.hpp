// Store of tuned configurations, one file each, which all kbench processes of a user share:
// docs/tuned-store.md. An entry is there whole or not at all, and a damaged one is none.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Returns the store's folder below cache_root().
std::filesystem::path tuned_root();

// Returns a name as part of a path, whatever it holds: letters, digits, '_', '-' and '.' as they
// are (but '.' in front), other bytes as "%2F", and long names by their digest.
std::string file_name_of(const std::string& name);

// Store that many threads and processes may use at a time.
class TunedStore {
 public:
  // Receiver of warnings: of each damaged file, once, and of files that cannot be read.
  using Warn = std::function<void(const std::string& message)>;

  explicit TunedStore(std::filesystem::path root, Warn warn = {});

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path file_of(const TuningKey& key) const;

  // Finds an entry; nullopt where it was not tuned. A file that is no entry, or one of something
  // else, is renamed to <file>.corrupt, and is none.
  std::optional<TunedEntry> find(const TuningKey& key) const;
  // Finds as find() does, but renames nothing.
  std::optional<TunedEntry> look(const TuningKey& key) const;
  // Seals it and makes or replaces the entry of its parts; once it returns, that is on disk.
  // Returns false where it is of a search that was cut short, and the one that is there is not:
  // that one stays. Throws std::system_error.
  bool put(TunedEntry entry) const;
  // Locks a key, to be held while it is tuned. `waits` is called before the wait for another
  // process that tunes it. Throws std::system_error.
  Fd lock(const TuningKey& key, const std::function<void()>& waits = {}) const;

 private:
  bool has_whole(const std::filesystem::path& file, const std::string& key) const;
  void quarantine(const std::filesystem::path& file, const std::string& key) const;
  void warn(const std::string& message) const;

  std::filesystem::path root_;
  Warn warn_;
};

// Says what is wrong with the file of an entry; "" where nothing is, and then it is in `entry`.
// `key`: the one that it must have. Throws std::system_error where it cannot be read.
std::string read_entry_file(const std::filesystem::path& file, const std::string& key,
                            TunedEntry& entry);

// Entries of the store of tuned configurations as text.

// Returns it with the key of its parts and the digest of all the rest.
TunedEntry sealed(TunedEntry entry);

// Returns its text in files: JSON of several lines.
std::string entry_text(const TunedEntry& entry);

// Flaw of a text that is no entry, or not as it was written, in a line; read_entry() is then
// nullopt.
struct EntryFlaw {
  int line = 0;  // 0: it is of all
  std::string message;

  std::string text() const;  // text such as "line 3: …"
};
std::optional<TunedEntry> read_entry(const Source& source, EntryFlaw& flaw);

// Says what keeps an entry from being one: its key is not that of its parts, or its digest
// another's; "" for a good one.
std::string flaw_of(const TunedEntry& entry);

// Contents of a store of tuned configurations.
struct StoredEntry {
  std::filesystem::path file;
  TunedEntry entry;
};

// File that stands where entries do and is none.
struct DamagedFile {
  std::filesystem::path file;
  std::string why;
};

struct StoreListing {
  std::vector<StoredEntry> entries;                // entries by definition, solution and date
  std::vector<DamagedFile> damaged;                // files as they lie there; nothing is renamed
  std::vector<std::filesystem::path> quarantined;  // files renamed before: *.corrupt
};

// Lists a store; nothing is in one whose folder is not there. Throws std::system_error where it
// cannot be read.
StoreListing list_store(const std::filesystem::path& root);

// Removes the files, entries or not, with their locks where nobody holds these. Throws
// std::system_error.
void remove_from_store(const std::filesystem::path& file);

}  // namespace kbench
