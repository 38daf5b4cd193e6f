#include "schema/find_files.hpp"

#include <system_error>

#include "base/confined.hpp"
#include "base/match.hpp"
#include "base/variable.hpp"
#include "base/words.hpp"
#include "schema/scan.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string name;
  fs::path path;
};

// By the files' names: no file is opened to find one.
std::vector<NamedFile> named_files(const fs::path& root) {
  std::vector<NamedFile> found;
  for (const Folder folder : {Folder::definitions, Folder::solutions}) {
    const fs::path below = root == "." ? fs::path(folder_name(folder)) : root / folder_name(folder);
    for (const std::string& path : files_below(below, ".json")) {
      found.push_back({fs::path(path).stem().string(), below / path});
    }
  }
  return found;
}

bool names_a_file(std::string_view word) {
  const fs::path extension = fs::path(word).extension();
  return is_one_of(extension.native(), {".json", ".jsonl", ".yaml", ".yml"});
}

fs::file_status status_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error == std::errc::filename_too_long) return fs::file_status(fs::file_type::not_found);
  if (status.type() == fs::file_type::none)
    throw fs::filesystem_error("cannot look for it", path, error);
  return status;
}

}  // namespace

std::optional<fs::path> find_root(const std::string& option) {
  const std::string root = !option.empty()     ? option
                           : is_trace_set(".") ? "."
                                               : variable("FIB_DATASET_PATH");
  if (root.empty()) return std::nullopt;
  confine(root);
  return root;
}

FoundFiles find_records(std::string_view name, const std::string& root_option) {
  const auto root = find_root(root_option);
  if (!root) {
    return {{},
            "no such file, and no trace set to look the name up in",
            "run in a trace set, say --root DIR, or set FIB_DATASET_PATH"};
  }
  const std::vector<NamedFile> known = named_files(*root);
  std::vector<std::string> names;
  for (const NamedFile& file : known) names.push_back(file.name);
  NameMatch match = match_name(name, names, "name");
  if (match.name.empty() && match.is_unknown && names_a_file(name))
    return {{}, "no such file, and no definition or solution of that name", std::move(match.hint)};
  if (match.name.empty()) return {{}, std::move(match.message), std::move(match.hint)};
  FoundFiles found;
  for (const NamedFile& file : known) {
    if (file.name == match.name) found.files.push_back(file.path);
  }
  return found;
}

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }

bool is_folder(const fs::path& path) { return fs::is_directory(status_of(path)); }

bool is_path(std::string_view word) {
  return word.starts_with(".") || word.find('/') != std::string_view::npos;
}

}  // namespace kbench
