// What the words on the command line stand for: which trace set is meant, which file a name is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// The trace set in question: --root, else the current folder if it is one, else FIB_DATASET_PATH.
// Nothing where none of them says one; an option that names no folder is returned all the same.
std::optional<std::filesystem::path> find_root(const std::string& option);

// Files that a word means, or why there are none.
struct FoundFiles {
  std::vector<std::filesystem::path> files;
  std::string message;
  std::string hint;
};

// The files of the definitions and solutions called `name` (exactly, else by unique prefix; a final
// ".json" does not count) in the trace set of find_root(root_option).
FoundFiles find_records(std::string_view name, const std::string& root_option);

// Whether there is such a file or folder. A word that no file can be called, as it is too long, is
// the name of something else or a mistake, and no failure. Throws std::filesystem::filesystem_error
// where it cannot be known.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// True when a word can only be meant as a path: it holds a '/' or starts with '.'.
bool is_path(std::string_view word);

}  // namespace kbench
