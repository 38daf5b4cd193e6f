// Where `kbench run` takes its definitions from, and the lines it judges.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct Target {
  TraceSet set;
  std::vector<Stored<Trace>> workloads;
  bool from_files = false;  // the workloads are not those of the trace set, but of these
  std::vector<std::filesystem::path> files;
};

// The trace set around a file: the nearest folder above it that is one.
std::optional<std::filesystem::path> enclosing_root(const std::filesystem::path& file);

struct TargetOptions {
  bool with_traces = false;     // load what has been judged already, too, without its samples
  bool leaves_files = false;    // unread, for who wants their lines one by one
  bool may_lack_a_set = false;  // a file around which there is no trace set is taken by itself
};

// `paths` are trace sets, all of whose workloads are judged, and .jsonl files, whose definitions
// lie in the trace set `root`, or around the file where `root` is ""; no paths: all workloads of
// `root` or of the trace set here. What is not there is reported.
std::vector<Target> load_targets(const std::vector<std::string>& paths, const std::string& root,
                                 const TargetOptions& options, Diagnostics& diagnostics);

// What the words on the command line stand for: which trace set is meant, which file a name is.

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
