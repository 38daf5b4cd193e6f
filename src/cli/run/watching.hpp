// kbench run --watch: the files that verdicts rest on.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kbench {

// What tells each file from what it was: base/file.hpp's file_identity().
using Stamps = std::map<std::string, std::string>;

// Returns the stamps of files, and of all files below folders; a file that is not there has none.
Stamps stamps_of(const std::vector<std::filesystem::path>& places);

// Files that are new, gone or another.
std::vector<std::string> changed(const Stamps& before, const Stamps& now);

// Waits until something is other than `before`, and nothing has changed for a while since; what it
// is then. `before` where `stop` came first.
Stamps wait_for_change(const std::vector<std::filesystem::path>& places, const Stamps& before,
                       const std::atomic<bool>& stop);

}  // namespace kbench
