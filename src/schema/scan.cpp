#include "schema/scan.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/errno_failure.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "schema/place.hpp"
#include "schema/read.hpp"
#include "schema/record_digest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int max_bad_lines = 20;             // of one file: the rest would say the same again
constexpr std::size_t lines_per_thread = 64;  // fewer are read before a thread has started

// Order of the parts, not of the characters: '/' before everything else.
bool path_before(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return rank(x) < rank(y);
  });
}

struct Line {
  std::string_view text;
  int number = 1;
};

// But for blank ones.
std::vector<Line> lines_of(std::string_view text, int first = 1) {
  std::vector<Line> lines;
  for (int number = first; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!trim(line).empty()) lines.push_back({line, number});
  }
  return lines;
}

// The lines of a file are sources of one line each.
json::Value parse(const Source& line, int number, json::Memory& memory, Diagnostics& found) {
  if (!check_line_is_text(line, number, found)) return {};
  return json::parse(line, 0, line.text.size(), memory, found);
}

// Reads the lines of a file. Problems are appended to `found` as if each line were a file.
class LineReader {
 public:
  LineReader(const Source& file, const ReadOptions& options) : file_(file), options_(options) {}

  std::optional<Trace> read(const Line& line, Diagnostics& found) const {
    thread_local Source source;  // a line's memory serves the next one
    source.path = file_.path;
    source.text = line.text;
    std::array<std::byte, 32768> stack;
    json::Memory memory(stack.data(), stack.size());
    const json::Value value = parse(source, line.number, memory, found);
    if (found.errors() > 0) return std::nullopt;
    auto trace = kbench::read<Trace>(source, value, options_, found);
    if (trace) trace->is_sealed = is_sealed(source.text, value);
    return trace;
  }

  // What is said of most lines is nothing: what is said of the others is found once more, when it
  // is known how much of it there is.
  // A line with errors has the number 0.
  std::vector<TraceLine> read(const std::vector<Line>& lines, Diagnostics& out) const {
    std::vector<TraceLine> traces(lines.size());
    std::vector<std::uint8_t> has_problems(lines.size());
    in_parallel(lines.size(), {0, lines_per_thread}, [&](std::size_t i) {
      Diagnostics found;
      auto trace = read(lines[i], found);
      traces[i].line = trace ? lines[i].number : 0;
      if (trace) traces[i].trace = *std::move(trace);
      has_problems[i] = found.empty() ? 0 : 1;
    });
    std::vector<Line> bad;
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (has_problems[i] != 0) bad.push_back(lines[i]);
    report(bad, out);
    return traces;
  }

 private:
  // The last one, whose writer was stopped in the middle.
  bool is_torn(const Line& line) const {
    if (line.text.end() != std::string_view(file_.text).end()) return false;
    json::Memory memory;
    Diagnostics found;
    parse({file_.path, std::string(line.text)}, line.number, memory, found);
    return found.errors() > 0;
  }

  void report(const std::vector<Line>& lines, Diagnostics& out) const {
    int bad = 0;
    for (const Line& line : lines) {
      if (is_torn(line)) {
        out.warning({file_.path, line.number, 1, "", std::string(line.text)},
                    "torn last line ignored",
                    "its writer was stopped in the middle; delete the line");
      } else if (++bad <= max_bad_lines) {
        Diagnostics found;
        read(line, found);
        append_at_line(out, found, line.number);
      }
    }
    if (bad > max_bad_lines)
      out.error({file_.path, 0, 0, "", ""},
                fmt::format("{} more lines have problems", bad - max_bad_lines));
  }

  const Source& file_;
  const ReadOptions& options_;
};

// The lines of a part of a file that begins with the line `first`.
std::vector<TraceLine> read_lines(const Source& part, int first, const ReadOptions& options,
                                  int& bad_line, Diagnostics& problems) {
  const std::vector<Line> lines = lines_of(part.text, first);
  const LineReader reader(part, options);
  std::vector<TraceLine> traces = reader.read(lines, problems);
  const auto is_bad = [](const TraceLine& one) { return one.line == 0; };
  const auto bad = std::find_if(traces.begin(), traces.end(), is_bad);
  if (bad == traces.end()) return traces;
  if (bad_line == 0) bad_line = lines[static_cast<std::size_t>(bad - traces.begin())].number;
  traces.erase(std::remove_if(bad, traces.end(), is_bad), traces.end());
  return traces;
}

// Whole lines of a file, so many that all cores have some.
class PartsOfFile {
 public:
  explicit PartsOfFile(const fs::path& file)
      : path_(file), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!fd_) fail_by_errno(file);
  }

  // Puts the next ones into `text`; false at the end.
  bool next(std::string& text) {
    text = std::exchange(rest_, {});
    while (!is_at_end_ && (text.size() < part_bytes || text.find('\n') == text.npos)) read(text);
    if (is_at_end_) return !text.empty();
    rest_ = text.substr(text.rfind('\n') + 1);
    text.resize(text.size() - rest_.size());
    return true;
  }

 private:
  static constexpr std::size_t part_bytes = std::size_t{16} << 20;

  void read(std::string& text) {
    const std::size_t before = text.size();
    text.resize(before + part_bytes);
    const ssize_t count = ::read(fd_.get(), text.data() + before, part_bytes);
    if (count < 0) fail_by_errno(path_);
    text.resize(before + static_cast<std::size_t>(count));
    is_at_end_ = count == 0;
  }

  fs::path path_;
  Fd fd_;
  std::string rest_;
  bool is_at_end_ = false;
};

void read_into(ScannedFile& file, const fs::path& root, bool strict) {
  const fs::path path = file_of(root, file);
  const ReadOptions options{strict, path.parent_path()};
  const auto unreadable = [&](const std::string& why) {
    file.unreadable = true;
    file.problems.error({path.string(), 0, 0, "", ""}, fmt::format("cannot be read: {}", why));
  };
  std::error_code ignored;
  if (fs::is_other(path, ignored)) return unreadable("no regular file");  // a pipe would block
  try {
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

// FlashInfer-Bench refuses a trace set with two definitions, or two solutions, of one name.
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

// A folder of the trace set, or a folder in one: so many that all cores have something to list.
struct Branch {
  Folder folder = Folder::definitions;
  std::string path;                // relative to the root
  std::vector<std::string> files;  // relative to the root
};

// A folder that is there and cannot be listed. Who reads it as a file hears why.
bool is_closed(const fs::path& folder) {
  return ::eaccess(folder.c_str(), R_OK | X_OK) != 0 && errno == EACCES;
}

// The files that lie in a folder itself, and a branch for each folder in it. Linked ones are not
// entered.
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

// In the order of folders, and of paths in each.
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
    const bool is_wanted = entry->path().native().ends_with(extension);
    const bool is_folder = entry->is_directory(unreadable);
    if (is_folder ? !entry->is_symlink(unreadable) && is_closed(entry->path()) : is_wanted)
      paths.push_back(entry->path().native().substr(skip));
  }
  std::sort(paths.begin(), paths.end(), path_before);
  return paths;
}

std::vector<std::string> trace_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path.string()};
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

bool check_line_is_text(const Source& line, int number, Diagnostics& problems) {
  if (number == 1 || !is_utf16(line.text)) return true;
  problems.error({line.path, 1, 1, "", ""}, "invalid UTF-8",
                 "the lines before are UTF-8, what wrote this one was not");
  return false;
}

void append_at_line(Diagnostics& problems, const Diagnostics& found, int line) {
  for (Diagnostic diagnostic : found.items()) {
    if (diagnostic.where.line > 0) diagnostic.where.line += line - 1;
    problems.add(std::move(diagnostic));
  }
}

bool check_lines_form(const Source& source, Diagnostics& problems) {
  if (!json::check_is_text(source, problems)) return false;
  const std::string_view text = trim(source.text);
  const std::size_t first_end = text.find('\n');
  if (first_end == std::string_view::npos || trim(text.substr(0, first_end)).ends_with('}'))
    return true;
  json::Memory memory;
  Diagnostics found;
  json::parse(source, 0, source.text.size(), memory, found);
  if (found.errors() > 0) return true;
  problems.error(locate(source, 0), "one JSON value over several lines",
                 "a .jsonl file has one record a line; jq -c . FILE writes it so");
  return false;
}

std::vector<TraceLine> read_trace_lines(const Source& source, const ReadOptions& options,
                                        int& bad_line, Diagnostics& problems) {
  if (!check_lines_form(source, problems)) {
    bad_line = 1;
    return {};
  }
  return read_lines(source, 1, options, bad_line, problems);
}

int read_trace_file(const fs::path& file, Diagnostics& problems,
                    const std::function<void(TraceLine&& line)>& take) {
  int bad_line = 0, first = 1;
  if (!fs::is_regular_file(file)) {  // a pipe that nobody writes to is no wait without end
    for (TraceLine& line :
         read_trace_lines({file.string(), read_file(file)}, {}, bad_line, problems))
      take(std::move(line));
    return bad_line;
  }
  Source part{file.string(), ""};
  bool is_good = true;
  for (PartsOfFile parts(file); is_good && parts.next(part.text);) {
    if (first == 1) is_good = check_lines_form(part, problems);
    if (!is_good) return 1;
    for (TraceLine& line : read_lines(part, first, {}, bad_line, problems)) take(std::move(line));
    first += static_cast<int>(std::count(part.text.begin(), part.text.end(), '\n'));
  }
  return bad_line;
}
std::vector<ScannedFile> scan_trace_set(const fs::path& root, const LoadOptions& options) {
  std::vector<ScannedFile> files = list_files(root, options);
  in_parallel(files.size(), {options.threads},
              [&](std::size_t i) { read_into(files[i], root, options.strict); });
  find_duplicates(files, root);
  for (ScannedFile& file : files) find_misplaced(file, root);
  return files;
}

}  // namespace kbench
