// A folder of entries by key that all kbench processes of a user share: with a limit in bytes, the
// least recently used going first. An entry appears whole or not at all, and one that was damaged
// is none. Faults of it never fail a run: problem() has the first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "base/work_folder.hpp"

namespace kbench {

struct CacheLimits {
  std::uint64_t bytes = 0;        // sum over all entries
  std::uint64_t entry_bytes = 0;  // largest entry kept: one must not evict all others
  std::uint64_t shared_entry_bytes = UINT64_MAX;  // largest entry put where other machines look
};

struct CacheEntry {
  std::string text;
  SharedMemory file;  // mapped read-only, whatever becomes of the entry; begins with the body
  std::size_t body_bytes = 0;

  std::string_view body() const { return {reinterpret_cast<const char*>(file.data()), body_bytes}; }
};

// Contents of a cache, and the time of its last use.
struct CacheUse {
  using Time = std::chrono::system_clock::time_point;
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
  std::optional<Time> oldest, newest;
};

// Cache that many threads and processes may use at a time. Keys are digests: 64 hexadecimal digits.
class Cache {
 public:
  // `shared`: a folder of entries that other machines have made, which is looked into after the own
  // one, and to which entries are added; nothing of it is evicted. An entry found there is copied
  // first: who writes there later changes nothing. "": none.
  Cache(std::filesystem::path folder, CacheLimits limits, std::filesystem::path shared = {});

  // Returns nothing for an entry that is missing or not as it was written. Counts as a use.
  std::optional<CacheEntry> find(const std::string& key) const;
  // Makes or replaces the entry, then evicts what is too much.
  void insert(const std::string& key, std::string_view text, std::string_view body);
  // Returns a lock to hold while a costly entry is made. Waits for another maker of it; returns
  // nothing when the folder cannot be written.
  Fd lock(const std::string& key) const;

  // Tells whether entries can be made there: a folder that can be written, with some space left.
  bool usable() const;
  WorkFolder work_folder() const;
  // Removes what processes that were killed have left. Runs begin with it.
  void clear_up() const;
  CacheUse use() const;
  void clear();
  // The first thing that went wrong, "" when nothing did.
  std::string problem() const;

 private:
  void write(const std::filesystem::path& folder, const std::string& key, std::string_view text,
             std::string_view body) const;
  std::optional<CacheEntry> find_shared(const std::string& key) const;
  void account(std::uint64_t bytes) const;
  void evict() const;
  void note(std::string problem) const;

  std::filesystem::path folder_, shared_;
  CacheLimits limits_;
  mutable std::mutex mutex_;
  mutable std::string problem_;
  mutable std::optional<std::uint64_t> unseen_;  // bytes inserted since the folder was looked over
};

// KBENCH_CACHE, else XDG_CACHE_HOME/kbench, else ~/.cache/kbench.
std::filesystem::path cache_root();

}  // namespace kbench
