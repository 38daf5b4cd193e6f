// The cache of built solutions: a folder each, named by what went into it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "build/builder.hpp"

namespace kbench {

// SHA-256 over the sources, the command and the identity of the compiler and of the headers it is
// given (path, size and time of change: asking the compiler for its version would cost more than
// the whole look-up).
std::string build_key(const Solution& solution, const Toolchain& toolchain,
                      const std::vector<std::string>& command);

// Every source at its path below `folder`.
void write_sources(const Solution& solution, const std::filesystem::path& folder);

// Where the solution with this key lies, whether it is there or not.
std::filesystem::path cache_entry(const std::filesystem::path& cache, const std::string& key);

// Held while an entry is looked up and built: many solutions share their sources, and one compiler
// is enough for all of them.
class BuildLock {
 public:
  // Waits for whoever else builds it, and removes what a builder that died left beside it.
  explicit BuildLock(const std::filesystem::path& entry);

 private:
  Fd fd_;
};

// A folder beside `entry` to build in; removed unless it is kept.
class BuildFolder {
 public:
  explicit BuildFolder(const std::filesystem::path& entry);
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep_as(const std::filesystem::path& entry) const;

 private:
  std::filesystem::path path_;
};

}  // namespace kbench
