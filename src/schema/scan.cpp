#include "schema/scan.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/parallel.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Orders by parts, not by characters: '/' comes before everything else.
bool path_before(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return rank(x) < rank(y);
  });
}

void read_into(ScannedFile& file, const fs::path& root, const LoadOptions& load) {
  const fs::path path = file_of(root, file);
  const ReadOptions options{load.strict, path.parent_path()};
  const auto unreadable = [&](const std::string& why) {
    file.unreadable = true;
    file.problems.error({path.string()}, fmt::format("cannot be read: {}", why));
  };
  std::error_code ignored;
  if (fs::is_other(path, ignored)) return unreadable("no regular file");  // a pipe would block
  try {
    if (!load.samples && file.folder == Folder::traces) {
      file.bad_line = read_trace_file(path, file.problems, [&file](TraceLine&& line) {
        drop_samples(line.trace);
        file.lines.push_back(std::move(line));
      });
      return;
    }
    const Source source{path.string(), read_file(path)};
    switch (file.folder) {
      case Folder::definitions:
        file.definition = read_text<Definition>(source, options, file.problems);
        break;
      case Folder::solutions:
        file.solution = read_text<Solution>(source, options, file.problems);
        break;
      default:
        file.lines = read_trace_lines(source, options, file.bad_line, file.problems);
    }
  } catch (const std::system_error& error) {
    unreadable(error.code().message());
  }
}

std::string_view record_name(const ScannedFile& file) {
  if (file.definition) return file.definition->name;
  return file.solution ? std::string_view(file.solution->name) : std::string_view();
}

// Reports, as FlashInfer-Bench refuses, a set with two definitions, or two solutions, of one name.
void find_duplicates(std::vector<ScannedFile>& files, const fs::path& root) {
  std::unordered_map<std::string_view, const ScannedFile*> seen[2];
  for (ScannedFile& file : files) {
    const std::string_view name = record_name(file);
    if (name.empty()) continue;
    const auto [first, is_new] = seen[file.definition ? 0 : 1].emplace(name, &file);
    if (is_new) continue;
    file.duplicate = true;
    const fs::path other = file_of(root, *first->second);
    file.problems.error(
        Place(file_of(root, file)).value("/name"),
        fmt::format("duplicate {} name \"{}\"", file.definition ? "definition" : "solution", name),
        fmt::format("the first one is {}:{}", other.string(), Place(other).value("/name").line));
  }
}

void find_misplaced(ScannedFile& file, const fs::path& root) {
  const bool workloads = file.folder == Folder::workloads;
  for (TraceLine& line : file.lines) {
    line.misplaced = is_workload_trace(line.trace) != workloads;
    if (!line.misplaced) continue;
    report_misplaced(file.folder, file_of(root, file), line.line, file.problems);
  }
}

std::string_view extension_of(Folder folder) {
  return folder == Folder::workloads || folder == Folder::traces ? ".jsonl" : ".json";
}

// Folder of the trace set, or one in it: so many that all cores have something to list.
struct Branch {
  Folder folder = Folder::definitions;
  std::string path;                // relative to the root
  std::vector<std::string> files;  // relative to the root
};

// Recognises a folder that cannot be listed. Reading it as a file tells why.
bool is_closed(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) != 0 && errno == EACCES;
}

// Adds the files that lie in a folder itself, and a branch for each folder in it. Linked ones are
// not entered.
void add_branches(std::vector<Branch>& branches, const fs::path& root, Folder folder) {
  const std::string name(folder_name(folder));
  Branch own{folder, "", {}};
  if (is_closed(root / name)) own.files.push_back(name);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / name, error)) {
    std::string path = name + "/" + entry.path().filename().native();
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      branches.push_back({folder, std::move(path), {}});
    } else if (path.ends_with(extension_of(folder)) && !entry.is_directory(error)) {
      own.files.push_back(std::move(path));
    }
  }
  branches.push_back(std::move(own));
}

void list_branch(Branch& branch, const fs::path& root) {
  if (branch.path.empty()) return;
  branch.files = files_below(root / branch.path, extension_of(branch.folder));
  for (std::string& file : branch.files)
    file = file == "." ? branch.path : branch.path + "/" + file;
}

// Lists them in the order of folders, and of paths in each.
std::vector<ScannedFile> list_files(const fs::path& root, const LoadOptions& options) {
  std::vector<Branch> branches;
  add_branches(branches, root, Folder::definitions);
  if (options.solutions) add_branches(branches, root, Folder::solutions);
  add_branches(branches, root, Folder::workloads);
  if (options.traces) add_branches(branches, root, Folder::traces);
  in_parallel(branches.size(), {options.threads},
              [&](std::size_t i) { list_branch(branches[i], root); });
  std::vector<std::pair<Folder, std::string>> found;
  for (Branch& branch : branches) {
    if (branch.folder == Folder::solutions) std::erase_if(branch.files, is_sidecar);
    for (std::string& file : branch.files) found.emplace_back(branch.folder, std::move(file));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : path_before(a.second, b.second);
  });
  std::vector<ScannedFile> files(found.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].folder = found[i].first;
    files[i].path = std::move(found[i].second);
  }
  return files;
}

}  // namespace

void drop_samples(Trace& trace) {
  const bool is_known = trace.is_sealed && trace.evaluation && trace.evaluation->kbench;
  if (!is_known || !trace.evaluation->kbench->timing) return;
  Timing& timing = *trace.evaluation->kbench->timing;
  timing.samples_ns = {};
  timing.reference_samples_ns.reset();
}

std::string_view folder_name(Folder folder) {
  constexpr std::string_view names[] = {"definitions", "solutions", "workloads", "traces"};
  return names[static_cast<int>(folder)];
}

fs::path file_of(const fs::path& root, const ScannedFile& file) {
  return root == "." ? fs::path(file.path) : root / file.path;
}

std::size_t ScannedFile::objects() const {
  return lines.size() + (definition ? 1 : 0) + (solution ? 1 : 0);
}

bool is_sidecar(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view name : {"kbench.json", "kbench.yaml"}) {
    if (!file.ends_with(name)) continue;
    if (file.size() == name.size() || file[file.size() - name.size() - 1] == '.') return true;
  }
  return false;
}

std::vector<std::string> files_below(const fs::path& folder, std::string_view extension) {
  if (is_closed(folder)) return {"."};
  std::vector<std::string> paths;
  std::error_code error;
  const std::size_t skip = folder.native().size() + (folder.native().ends_with('/') ? 0 : 1);
  for (fs::recursive_directory_iterator
           entry(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    const std::string& path = entry->path().native();
    const bool is_folder = entry->is_directory(unreadable);
    if (is_folder ? !entry->is_symlink(unreadable) && is_closed(path) : path.ends_with(extension))
      paths.push_back(path.substr(skip));
  }
  std::sort(paths.begin(), paths.end(), path_before);
  return paths;
}

std::vector<std::string> trace_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path.string()};
  confine(path);
  const fs::path traces = path / "traces";
  const fs::path folder = fs::is_directory(traces, error) ? traces : path;
  std::vector<std::string> files = files_below(folder, ".jsonl");
  for (std::string& file : files) file = (folder / file).string();
  return files;
}

void report_misplaced(Folder folder, const fs::path& file, int line, Diagnostics& problems) {
  const bool workloads = folder == Folder::workloads;
  problems.error(
      {file.string(), line, 1, "", ""},
      workloads ? "a line of workloads/ must have no solution and no evaluation"
                : "a line of traces/ must have a solution and an evaluation",
      workloads ? "evaluated traces belong into traces/" : "workloads belong into workloads/");
}

std::vector<ScannedFile> scan_trace_set(const fs::path& root, const LoadOptions& options) {
  confine(root);
  std::vector<ScannedFile> files = list_files(root, options);
  in_parallel(files.size(), {options.threads},
              [&](std::size_t i) { read_into(files[i], root, options); });
  find_duplicates(files, root);
  for (ScannedFile& file : files) find_misplaced(file, root);
  return files;
}

}  // namespace kbench
