// All that lies in a store of tuned configurations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schema/tuned_entry.hpp"

namespace kbench {

struct StoredEntry {
  std::filesystem::path file;
  TunedEntry entry;
};

// A file that stands where entries do and is none.
struct DamagedFile {
  std::filesystem::path file;
  std::string why;
};

struct StoreListing {
  std::vector<StoredEntry> entries;                // by definition, solution and date
  std::vector<DamagedFile> damaged;                // as they lie there; nothing is renamed
  std::vector<std::filesystem::path> quarantined;  // renamed before: *.corrupt
};

// Lists a store; nothing is in one whose folder is not there. Throws std::system_error where it
// cannot be read.
StoreListing list_store(const std::filesystem::path& root);

// Removes the files, entries or not, with their locks where nobody holds these. Throws
// std::system_error.
void remove_from_store(const std::filesystem::path& file);

}  // namespace kbench
