#include "schema/targets.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/confined.hpp"
#include "base/system.hpp"
#include "base/words.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string name;
  fs::path path;
};

// Finds files by their names: none is opened for it.
std::vector<NamedFile> named_files(const fs::path& root, bool are_lines) {
  std::vector<NamedFile> found;
  for (const Folder folder : all_folders) {
    if (are_lines != (folder == Folder::workloads || folder == Folder::traces)) continue;
    const fs::path below = root == "." ? fs::path(folder_name(folder)) : root / folder_name(folder);
    for (const std::string& path : files_below(below, are_lines ? ".jsonl" : ".json"))
      found.push_back({fs::path(path).stem().string(), below / path});
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
  const std::vector<NamedFile> known = named_files(*root, name.ends_with(".jsonl"));
  std::vector<std::string> names;
  for (const NamedFile& file : known) names.push_back(file.name);
  NameMatch match = match_name(name, names, "name");
  if (names_a_file(name)) {  // the beginning of a name is a misspelt file
    const std::string stem = fs::path(name).stem().string();
    if (!match.name.empty() && match.name != stem && !match.name.starts_with(stem + "_"))
      match = {"", "", fmt::format("did you mean {}?", match.name), true};
    if (match.name.empty() && match.is_unknown)
      return {{}, "no such file, and nothing of that name in the trace set", std::move(match.hint)};
  }
  if (match.name.empty()) return {{}, std::move(match.message), std::move(match.hint)};
  FoundFiles found;
  for (const NamedFile& file : known)
    if (file.name == match.name) found.files.push_back(file.path);
  return found;
}

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }

bool is_folder(const fs::path& path) { return fs::is_directory(status_of(path)); }

bool is_path(std::string_view word) {
  return word.starts_with(".") || word.find('/') != std::string_view::npos;
}

std::optional<fs::path> enclosing_root(const fs::path& file) {
  for (fs::path folder = fs::absolute(file).parent_path();; folder = folder.parent_path()) {
    if (is_trace_set(folder)) {
      confine(folder);
      return file.is_absolute() ? folder : folder.lexically_proximate(fs::current_path());
    }
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

namespace {

// Trace set, and the files to judge with it; without files, its own workloads.
struct Wanted {
  fs::path root;
  std::vector<fs::path> files;
};

std::optional<fs::path> root_for(const fs::path& file, const std::string& root) {
  if (!root.empty()) return root;
  const auto around = enclosing_root(file);
  return around ? around : find_root("");
}

// Files in a row that lie in the same trace set are one target.
void want_file(const std::string& file, const std::string& root, bool may_lack_a_set,
               std::vector<Wanted>& wanted, Diagnostics& out) {
  auto found = root_for(file, root);
  if (!found && may_lack_a_set) found = "";
  if (!found) {
    out.error({file}, "no trace set with definitions for this file", "name it with --root DIR");
    return;
  }
  const bool joins =
      !wanted.empty() && wanted.back().root == *found && !wanted.back().files.empty();
  if (!joins) wanted.push_back({*found, {}});
  wanted.back().files.emplace_back(file);
}

std::vector<Wanted> find_wanted(const std::vector<std::string>& paths, const std::string& root,
                                bool may_lack_a_set, Diagnostics& out) {
  std::vector<Wanted> wanted;
  for (const std::string& path : paths) {
    if (is_folder(path)) {
      wanted.push_back({path, {}});
    } else if (is_one_of(fs::path(path).extension().string(), {".yaml", ".yml", ".cpp", ".cu"})) {
      out.error({path}, "is no file of workloads", "they stand in .jsonl files");
    } else if (is_there(path)) {
      want_file(path, root, may_lack_a_set, wanted, out);
    } else {
      out.error({path}, "no such file or folder");
    }
  }
  if (!paths.empty()) return wanted;
  if (const auto found = find_root(root)) {
    wanted.push_back({*found, {}});
  } else {
    out.error({}, "no trace set here",
              "run in a folder with definitions/, or name one with --root DIR");
  }
  return wanted;
}

Target load_target(const Wanted& wanted, const TargetOptions& options, Diagnostics& out) {
  Target target;
  if (!wanted.root.empty())
    target.set = load_trace_set(wanted.root, {true, options.with_traces, 0, false, false}, out);
  drop_duplicate_workloads(target.set, out);
  target.from_files = !wanted.files.empty();
  if (!target.from_files) target.workloads = target.set.workloads;
  target.files = wanted.files;
  if (options.leaves_files) return target;
  for (const fs::path& file : wanted.files)
    read_trace_file(file, out, [&](TraceLine&& line) {
      target.workloads.push_back({std::move(line.trace), file.string(), line.line});
    });
  return target;
}

}  // namespace

std::vector<Target> load_targets(const std::vector<std::string>& paths, const std::string& root,
                                 const TargetOptions& options, Diagnostics& diagnostics) {
  std::vector<Target> targets;
  for (const Wanted& wanted : find_wanted(paths, root, options.may_lack_a_set, diagnostics))
    targets.push_back(load_target(wanted, options, diagnostics));
  return targets;
}

}  // namespace kbench
