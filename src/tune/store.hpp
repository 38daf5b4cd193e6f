// The configurations that were tuned, one file each, which all kbench processes of a user share:
// docs/tuned-store.md. An entry is there whole or not at all, and what was damaged is none.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Below cache_root().
std::filesystem::path tuned_root();

// A name as part of a path, whatever it holds: letters, digits, '_', '-' and '.' as they are, other
// bytes as "%2F", and long names by their digest.
std::string file_name_of(const std::string& name);

// May be used by many threads and processes at a time.
class TunedStore {
 public:
  // Told of each damaged file, once, and of what cannot be read.
  using Warn = std::function<void(const std::string& message)>;

  explicit TunedStore(std::filesystem::path root, Warn warn = {});

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path file_of(const TuningKey& key) const;

  // Nothing where it was not tuned. A file that is no entry, or one of something else, is renamed
  // to <file>.corrupt, and is none.
  std::optional<TunedEntry> find(const TuningKey& key) const;
  // Finds as find() does, but renames nothing.
  std::optional<TunedEntry> look(const TuningKey& key) const;
  // Seals it and makes or replaces the entry of its parts; once it returns, that is on disk. False
  // where it is of a search that was cut short, and the one that is there is not: that one stays.
  // Throws std::system_error.
  bool put(TunedEntry entry) const;
  // Held while it is tuned. `waits` is called before it is waited for somebody else who tunes it.
  // Throws std::system_error.
  Fd lock(const TuningKey& key, const std::function<void()>& waits = {}) const;

 private:
  bool has_whole(const std::filesystem::path& file, const std::string& key) const;
  void quarantine(const std::filesystem::path& file, const std::string& key) const;
  void warn(const std::string& message) const;

  std::filesystem::path root_;
  Warn warn_;
};

// What is wrong with the file of an entry, "" where nothing is, and then it is in `entry`. `key`:
// that it must have. Throws std::system_error where it cannot be read.
std::string read_entry_file(const std::filesystem::path& file, const std::string& key,
                            TunedEntry& entry);

}  // namespace kbench
