// Files of a trace set one by one, each with what could be read of it and its problems:
// load_trace_set puts them together, validate looks at each.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/read.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

enum class Folder { definitions, solutions, workloads, traces };
constexpr Folder all_folders[] = {Folder::definitions, Folder::solutions, Folder::workloads,
                                  Folder::traces};

// Returns "definitions", …
std::string_view folder_name(Folder folder);

// Line of a .jsonl file.
struct TraceLine {
  Trace trace;
  int line = 1;
  bool misplaced = false;  // an evaluated trace in workloads/ or a bare workload in traces/
};

struct ScannedFile {
  Folder folder = Folder::definitions;
  std::string path;                      // relative to the root, with '/'
  std::optional<Definition> definition;  // set in definitions/
  std::optional<Solution> solution;      // set in solutions/
  std::vector<TraceLine> lines;          // readable lines of a file of workloads/ or traces/
  bool duplicate = false;                // an earlier file has a record of this name
  int bad_line = 0;                      // number of the first unreadable line, 0: none
  bool unreadable = false;               // the file as a whole
  Diagnostics problems;

  bool broken() const { return unreadable || bad_line > 0; }
  std::size_t objects() const;  // number that could be read
};

// Reads definitions/**/*.json, solutions/**/*.json, workloads/**/*.jsonl and traces/**/*.jsonl,
// each folder in the order of paths. Never throws for a file that cannot be read: that is its
// problem.
std::vector<ScannedFile> scan_trace_set(const std::filesystem::path& root,
                                        const LoadOptions& options);

// Returns a scanned file's path as the user can open it: below `root`, without a leading "./".
std::filesystem::path file_of(const std::filesystem::path& root, const ScannedFile& file);

// Recognises "kbench.json" and "x.kbench.json", also with .yaml: what kbench knows of a Solution
// beside it, which is no record (docs/kernels.md).
bool is_sidecar(std::string_view path);

// Returns the files below `folder` whose name ends with `extension`, relative to `folder`, in the
// order of their parts (so that "a/b" comes before "a-b"): also unreadable ones, such as a link
// that leads nowhere, and folders that cannot be listed ("." is `folder` itself). Linked folders
// are not entered.
std::vector<std::string> files_below(const std::filesystem::path& folder,
                                     std::string_view extension);

// Returns the files with the traces of `path`: itself, or of a folder all .jsonl files below its
// traces/ if it has one (as trace sets and `kbench run --out` do), else all below itself.
std::vector<std::string> trace_files(const std::filesystem::path& path);

// Reports a line but the first that looks like UTF-16 as spoiled, at its first line, and returns
// false; the first line tells the encoding of the whole file.
bool check_line_is_text(const Source& line, int number, Diagnostics& problems);

// Takes samples away where the record is as it was written, which nobody can tell afterwards.
void drop_samples(Trace& trace);

// Reads a line, the only one of `source`; nothing where it is no record, whose problems stand at
// the source's first line.
std::optional<Trace> read_trace_line(const Source& source, int number, const ReadOptions& options,
                                     Diagnostics& problems);

// Appends the problems of one line, found in a Source that holds nothing else.
void append_at_line(Diagnostics& problems, const Diagnostics& found, int line);

// Reports a text that cannot be lines of records, and returns false: it is not UTF-8, or one value
// over several lines.
bool check_lines_form(const Source& source, Diagnostics& problems);

// Reports a line that belongs into the other one of workloads/ and traces/.
void report_misplaced(Folder folder, const std::filesystem::path& file, int line,
                      Diagnostics& problems);

// Reads a .jsonl file as read_trace_lines() does, but a part of it at a time, however large it is.
// Returns its first line that could not be read, 0 where all could; 1 where it could not be opened.
int read_trace_file(const std::filesystem::path& file, Diagnostics& problems,
                    const std::function<void(TraceLine&& line)>& take);

// Reads all lines of a .jsonl file. Blank lines are skipped; a torn last line (no line break, no
// valid JSON) is a warning.
std::vector<TraceLine> read_trace_lines(const Source& source, const ReadOptions& options,
                                        int& bad_line, Diagnostics& problems);

}  // namespace kbench
