// Sources of `kbench run`'s definitions, and the lines it judges.
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
  bool from_files = false;  // workloads are those of files, not of the trace set
  std::vector<std::filesystem::path> files;
};

// Finds the trace set around a file: the nearest folder above it that is one.
std::optional<std::filesystem::path> enclosing_root(const std::filesystem::path& file);

struct TargetOptions {
  bool with_traces = false;     // loads earlier verdicts, too, without their samples
  bool leaves_files = false;    // files stay unread, for callers that want their lines one by one
  bool may_lack_a_set = false;  // file around which there is no trace set is taken by itself
};

// Loads `paths`: trace sets, all of whose workloads are judged, and .jsonl files, whose definitions
// lie in the trace set `root`, or around the file where `root` is ""; no paths: all workloads of
// `root` or of the trace set here. A missing one is reported.
std::vector<Target> load_targets(const std::vector<std::string>& paths, const std::string& root,
                                 const TargetOptions& options, Diagnostics& diagnostics);

// Words on the command line: the trace set that is meant, the file that a name stands for.

// Returns the trace set in question: --root, else the current folder if it is one, else
// FIB_DATASET_PATH. Nothing if none says one; a wrong option is returned all the same.
std::optional<std::filesystem::path> find_root(const std::string& option);

// Files that a word means, or the reason why there are none.
struct FoundFiles {
  std::vector<std::filesystem::path> files;
  std::string message;
  std::string hint;
};

// Returns the files of the definitions and solutions called `name` (exactly, else by unique prefix;
// a final ".json" does not count), or with a final ".jsonl" those of workloads and traces, in the
// trace set of find_root(root_option). A name that ends so is whole, or what follows begins with
// "_".
FoundFiles find_records(std::string_view name, const std::string& root_option);

// Tells whether there is such a file or folder. A word that no file can be called, as it is too
// long, is the name of something else or a mistake, and no failure. Throws
// std::filesystem::filesystem_error where it cannot be known.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// Tells whether a word can only be meant as a path: it holds a '/' or starts with '.'.
bool is_path(std::string_view word);

}  // namespace kbench
