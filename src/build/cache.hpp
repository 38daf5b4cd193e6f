// The cache of built solutions: a folder each, named by what went into it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// SHA-256 over the sources, the command and the identity of the compiler and of the headers it is
// given (path, size and time of change: asking the compiler for its version would cost more than
// the whole look-up).
std::string build_key(const Solution& solution, const Toolchain& toolchain, const std::vector<std::string>& command);

// Where the solution with this key lies, whether it is there or not.
std::filesystem::path cache_entry(const std::filesystem::path& cache, const Solution& solution, const std::string& key);

// A folder beside `entry` to build in; removed unless it is kept. Two processes that build the same
// solution do not meet: each has its own, and the first to finish gives the entry.
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
