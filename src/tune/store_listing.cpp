#include "tune/store_listing.hpp"

#include <sys/file.h>

#include <algorithm>
#include <system_error>
#include <tuple>

#include "base/confined.hpp"
#include "base/temporary_file.hpp"
#include "base/work_folder.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Where it has to lie, so that it is found: the folders have the names of what it is of.
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
  if (error.code() != std::errc::no_such_file_or_directory)  // removed meanwhile
    out.damaged.push_back({file, error.code().message()});
}

// Throws where it can be none.
bool is_there(const fs::path& folder) {
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
  if (!is_there(root)) return out;
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
